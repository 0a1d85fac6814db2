package domain

import (
	"maps"
	"strings"
)

// The summary of most SYSTEM messages is written for the AI, in English, and is sent to it as it is
// stored. What people read in its place is found when they read it.

// inOtherWords are sentences of the server, each with what a reader of French is shown. They are found by
// either phrase, so that what is stored in one language can be read in the other.
var inOtherWords = func() map[string]Text {
	all := map[string]Text{}
	for _, t := range []Text{
		{"The data that the message refers to.", "Les données que le message désigne."},
		{"What the program that asked answered to its tools.", "Ce que le programme appelant a répondu à ses outils."},
		{"The program that asked did not run its tools.", "Le programme appelant n’a pas exécuté ses outils."},
		{"The actions were not run: a person had to approve them, and did not.",
			"Les actions n’ont pas été exécutées : il fallait l’accord d’une personne, et elle ne l’a pas donné."},
		{"The actions were not run: they need a person's yes, and automations are refused it here. Do without, or say that it is completed.",
			"Les actions n’ont pas été exécutées : il faut l’accord d’une personne, et ici il est refusé aux automatisations."},
		{"An agent had to ask a person, and was not answered.", "Un agent devait interroger une personne, et n’a pas eu de réponse."},
		{"The question was not answered.", "La question est restée sans réponse."},
		{"A person says that the task is not done yet. Go on.", "Une personne dit que la tâche n’est pas encore terminée."},
		{"Go on with the task, or say that it is completed.", "L’IA doit poursuivre la tâche, ou dire qu’elle est terminée."},
		{"Not all of the answer could be used.", "Une partie de la réponse n’a pas pu être utilisée."},
		{"Stopped before it was confirmed.", "Arrêté avant confirmation."},
		{"The round was cut before it ran.", "Interrompu avant l’exécution."},
		{"The wait for a person ended without an answer.", "L’attente a pris fin sans réponse."},
		{"Not approved.", "Non approuvé."},
		{"This needs a person's yes, and automations are refused it here.",
			"Il faut l’accord d’une personne, et ici il est refusé aux automatisations."},
		{"Its session has ended.", "Sa session est terminée."},
		{"A person wants it run once more.", "Une personne veut la relancer."},
	} {
		all[t.EN], all[t.FR] = t, t
	}
	return all
}()

// Reworded is a sentence that is stored in one language as a person reads it in another; as it is, where
// it is not one of the server's own.
func Reworded(text, language string) string {
	if t, ok := inOtherWords[text]; ok && language != "" {
		return t.In(language)
	}
	return text
}

// ofType are the French summaries of messages for the AI that have no translation of their own.
var ofType = map[SystemType]string{
	SystemGuidance:               "L’IA a reçu une consigne du serveur.",
	SystemFormatError:            "La réponse de l’IA n’a pas pu être utilisée ; une correction lui a été demandée.",
	SystemDataAdded:              "Des données ont été lues.",
	SystemActionsExecuted:        "Des actions ont été exécutées.",
	SystemExternalResult:         "Un résultat est venu de l’extérieur.",
	SystemValidationCancelled:    "Les actions n’ont pas été exécutées : elles n’ont pas été approuvées.",
	SystemCommunicationCancelled: "La question est restée sans réponse.",
}

// words are the summary as a person reads it in a language.
func (m *SystemMessage) words(language string) string {
	if text, ok := m.Translations[language]; ok {
		return text
	}
	if counted := Counted(m.CommandResults); m.Summary == counted.EN || m.Summary == counted.FR {
		return counted.In(language)
	}
	if text := Reworded(m.Summary, language); text != m.Summary || language != "fr" {
		return text
	}
	if text, ok := ofType[m.Type]; ok && inOtherWords[m.Summary] == (Text{}) {
		return text
	}
	return m.Summary
}

// Shown are the translations of the summary for people who read another language than it is in.
func (m *SystemMessage) Shown() Translations {
	all := m.Translations
	for _, language := range Languages {
		if text := m.words(language); text != m.Summary && all[language] == "" {
			own := Translations{language: text}
			maps.Copy(own, all)
			all = own
		}
	}
	return all
}

// Counted summarises how many commands ended in which way.
func Counted(results []CommandResult) Text {
	words := []struct {
		status ExecutionStatus
		one    Text
		many   string // in French
	}{
		{ExecSuccess, Text{"done", "effectuée"}, "effectuées"},
		{ExecCached, Text{"answered from before", "déjà connue"}, "déjà connues"},
		{ExecPending, Text{"under way", "en cours"}, "en cours"},
		{ExecFailed, Text{"failed", "en échec"}, "en échec"},
		{ExecUnknown, Text{"with an unknown outcome", "à l’issue inconnue"}, "à l’issue inconnue"},
		{ExecCancelled, Text{"not run", "non exécutée"}, "non exécutées"},
	}
	var parts []Text
	begun := 0
	for _, w := range words {
		n := 0
		for i := range results {
			switch r := &results[i]; {
			case r.Status != w.status || r.ExecutionID == "":
			case r.Begun():
				begun++
			default:
				n++
			}
		}
		if n > 0 {
			parts = append(parts, Count(n, w.one.EN, w.one.EN, w.one.FR, w.many))
		}
	}
	if begun > 0 {
		const started = "started and then cancelled"
		parts = append(parts, Count(begun, started, started, "commencée puis annulée", "commencées puis annulées"))
	}
	if len(parts) == 0 {
		return Say("Nothing was run.", "Rien n’a été exécuté.")
	}
	text := Join(", ", parts...)
	return Text{EN: text.EN + ".", FR: strings.TrimSpace(text.FR) + "."}
}
