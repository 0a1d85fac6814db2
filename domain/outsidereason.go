package domain

import (
	"slices"
	"strings"
)

// OutsideReason explains to a person why an action that has no other reason requires an approval: the
// external content that the round has read.
func (s *Settings) OutsideReason(t *Taint) ApprovalReason {
	var kinds []Text
	names := map[Text][]string{}
	for _, p := range t.Sources {
		kind := originText(p)
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if p.Source != "" {
			names[kind] = append(names[kind], p.Source)
		}
	}
	for i, kind := range kinds {
		kinds[i] = Join(" ", kind, Same(strings.Join(names[kind], ", ")))
	}
	text := Say("Asked for in a round that read %s", "Demandé dans un échange qui a lu %s", Join("; ", kinds...))
	if t.Parts > len(t.Sources) {
		text = Join("", text, Say(" (%d parts from outside in all)", " (%d éléments venus de l’extérieur en tout)", t.Parts))
	}
	return ReasonOf(LevelOutside, "", Join("", text, Same(".")), s.Language)
}

// originText names parts of an origin for people.
func originText(p Provenance) Text {
	switch {
	case p.Role == WordsDescription && p.Origin == OriginClient:
		return Say("how the calling program describes its tools", "comment le programme appelant décrit ses outils")
	case p.Role == WordsDescription:
		return Say("descriptions of commands that no person has reviewed, of",
			"des descriptions de commandes que personne n’a vérifiées, de")
	case p.Role == WordsHistory:
		return Say("earlier answers as the calling program tells them",
			"des réponses antérieures telles que le programme appelant les rapporte")
	case p.Role == WordsStored:
		return Say("data of this workspace that was written after reading", "des données de cet espace écrites après la lecture de")
	}
	switch p.Origin {
	case OriginWebhook:
		return Say("what came by the webhook of", "ce qui est venu par le webhook de")
	case OriginMCP:
		return Say("what an MCP server answered to", "ce qu’un serveur MCP a répondu à")
	case OriginTask:
		return Say("the result of the task", "le résultat de la tâche")
	case OriginFile:
		return Say("the file", "le fichier")
	case OriginClient:
		return Say("what the calling program answered to", "ce que le programme appelant a répondu à")
	default:
		return Say("what came from", "ce qui est venu de")
	}
}
