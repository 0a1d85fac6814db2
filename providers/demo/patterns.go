package demo

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is one way of asking for something. Named captures are what the plan needs.
type pattern struct {
	fr   bool
	re   func() *regexp.Regexp
	plan func(c *planner, g captures)
	// free: the rest of the message belongs to it, however many sentences that is.
	free bool
}

const (
	plain   = `[-+]?\d+(?:[.,]\d+)?`
	aNumber = `(?P<value>` + plain + `)`
	aUnit   = `(?: ?(?P<unit>[\pL%°€$£][\pL\d%°/²³.]*))?`
	my      = `(?:my |the |our )?`
	mon     = `(?:mon |ma |mes |notre |nos |le |la |les |l'|du |de la |de l'|des |au |à la |à l'|aux |de mon |de ma |de mes )?`
)

// english compiles when the first message comes that it may fit: a server without the demo provider
// has none of the three megabytes that all of them take.
func english(plan func(*planner, captures), re string) pattern {
	compile := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + re + `)$`) })
	return pattern{re: compile, plan: plan}
}

func french(plan func(*planner, captures), re string) pattern {
	p := english(plan, re)
	p.fr = true
	return p
}

func free(p pattern) pattern {
	p.free = true
	return p
}

// patterns are tried in order.
var patterns = []pattern{
	english(help, `help|\?|what can you do.*|what do you understand.*`),
	french(help, `aide|aide-moi|que (?:sais|peux)-tu faire.*|que comprends-tu.*`),
	english(greet, `hello|hi|hey|good (?:morning|evening)`),
	french(greet, `bonjour|bonsoir|salut|coucou`),
	english(welcome, `thanks|thank you|ok|great`),
	french(welcome, `merci|merci beaucoup|d'accord|super`),

	free(english(automate, `(?:every|each|on) (?P<days>`+daysEN+`)(?:,? at (?P<at>`+timeEN+`))?(?:,|:| :)? (?P<task>(?s:.+))`)),
	free(french(automate, `(?:tous les|toutes les|chaque|le) (?P<days>`+daysFR+`)(?:,? à (?P<at>`+timeFR+`))?(?:,|:| :)? (?P<task>(?s:.+))`)),

	free(english(journal, `(?:write|put|add|note)(?: this| down)? (?:in|into|to) `+my+`(?P<tool>journal|diary)(?: ?[:,-] ?| )(?P<text>(?s:.+))`)),
	free(french(journal, `(?:[ée]cri(?:s|re|vez)|note[rz]?|ajoute[rz]?|mets) dans `+mon+`(?P<tool>journal)(?: ?[:,-] ?| )(?P<text>(?s:.+))`)),
	free(english(takeNote, `(?:(?:take|make) a |new )?note ?: ?(?P<text>(?s:.+))`)),
	free(french(takeNote, `(?:prends|prendre|prenez|fais|nouvelle) (?:une |en )?note ?: ?(?P<text>(?s:.+))`)),

	english(automate, `(?P<task>.+?),? (?:every|each|on) (?P<days>`+daysEN+`),? at (?P<at>`+timeEN+`)`),
	french(automate, `(?P<task>.+?),? (?:tous les|chaque|le) (?P<days>`+daysFR+`),? à (?P<at>`+timeFR+`)`),
	english(sumUp, `(?:sum up|summari[sz]e|review) (?:my |the )(?P<span>day|week|month)`),
	french(sumUp, `(?:résume[rz]?|resume[rz]?|récapitule[rz]?) (?:ma |mon |la |le )(?P<span>journée|semaine|mois)`),

	english(journal, `write in `+my+`(?P<tool>journal|diary)`),
	french(journal, `[ée]cri(?:s|re|vez) dans `+mon+`(?P<tool>journal)`),
	free(english(draft, `(?:draft|write) (?:a |the |my )?document (?:called |named )?(?P<name>[^:]+?) ?: ?(?P<text>(?s:.+))`)),
	free(french(draft, `(?:r[ée]dige[rz]?|[ée]cri(?:s|re|vez)|prépare[rz]?) (?:un |le |mon )?document (?:appelé |nommé )?(?P<name>[^:]+?) ?: ?(?P<text>(?s:.+))`)),
	free(english(askAgent, `(?:ask|tell) (?:the )?agent (?P<agent>[\pL\d_. -]+?) ?(?:: ?|, | to )(?P<task>(?s:.+))`)),
	free(french(askAgent, `(?:demande[rz]?|dis) à l'agent (?P<agent>[\pL\d_. -]+?) ?(?:: ?|, | de )(?P<task>(?s:.+))`)),
	free(english(noteInDocuments, `(?:note|write|put|remember)(?: down)? in (?:the |my |our )?documents(?: that |: ?| : | )(?P<text>(?s:.+))`)),
	free(french(noteInDocuments, `(?:note[rz]?|[ée]cri(?:s|re|vez)|mets) dans (?:les |mes |nos )documents(?: que | qu'| ?: ?| )(?P<text>(?s:.+))`)),
	english(searchDocuments, `what do (?:the |my |our )?documents say (?:about|of|on) `+my+`(?P<text>.+)`),
	french(searchDocuments, `que disent (?:les |mes |nos )documents (?:sur |de |du |à propos de )`+mon+`(?P<text>.+)`),
	english(publish, `publish (?:the |my )?document (?P<name>.+)`),
	french(publish, `publie[rz]? (?:le |mon )?document (?P<name>.+)`),
	english(showDocuments, `(?:show|list)(?: me)? (?:my |the |all )?documents|what documents (?:do i have|are there)`),
	french(showDocuments, `(?:montre[rz]?|liste[rz]?)(?:-moi)? (?:mes |les |tous mes )?documents|quels documents (?:ai-je|y a-t-il)`),
	english(showDocument, `(?:show|read)(?: me)? (?:the |my )?document (?P<name>.+)`),
	french(showDocument, `(?:montre[rz]?|lis|lire)(?:-moi)? (?:le |mon )?document (?P<name>.+)`),
	english(showMore, `(?:show )?(?:me )?more|go on|next(?: page)?|the rest`),
	french(showMore, `la suite|suite|plus|page suivante`),
	english(searchData, `(?:search(?: for)?|look for) (?P<text>.+)|find (?P<text2>.+)`),
	french(searchData, `(?:cherche|recherche|trouve)[rz]? (?P<text>.+)`),

	english(overview, `(?:so )?what (?:do i have|have i got|is there)|show (?:me )?(?:everything|all|my (?:zones|tools|data|things))|overview|(?:list )?(?:my )?(?:zones|tools)|what are my (?:zones|tools)`),
	french(overview, `qu['e ]+(?:st-ce que )?j'ai|qu'ai-je|montre[rz]?(?:-moi)? (?:tout|mes (?:zones|outils|données))|(?:liste[rz]? )?(?:mes )?(?:zones|outils)|quel(?:le)?s sont mes (?:zones|outils)|vue d'ensemble`),

	english(createType, `(?:create|make|add)(?: an?| the)?(?: new)? tool type (?:called |named )?(?P<name>.+?) (?:with|having) (?:the fields? )?(?P<fields>.+)`),
	french(createType, `(?:cr[ée]e[rz]?|ajoute[rz]?)(?: un)?(?: nouveau)? type d'outil (?:appelé |nommé )?(?P<name>.+?) avec (?:les champs |le champ )?(?P<fields>.+)`),
	english(createOf, `(?:create|make|add)(?: an?| the)?(?: new)? tool (?:called |named )?(?P<name>.+?) of (?:the )?type (?P<type>.+?)(?: in (?:the )?(?:zone )?(?P<zone>.+))?`),
	french(createOf, `(?:cr[ée]e[rz]?|ajoute[rz]?)(?: un| l')? ?(?:nouvel )?outil (?:appelé |nommé )?(?P<name>.+?) (?:de|du) type (?P<type>.+?)(?: dans (?:la )?(?:zone )?(?P<zone>.+))?`),
	english(fillIn, `(?:add|put|enter) (?:to|in|into) `+my+`(?P<tool>.+?) ?: ?(?P<pairs>.+=.+)`),
	french(fillIn, `(?:ajoute[rz]?|mets|mettre|saisi[srt]*) (?:à |dans |sur )?`+mon+`(?P<tool>.+?) ?: ?(?P<pairs>.+=.+)`),
	english(rename, `rename (?:my |the )?(?:(?P<kind>zone|tool) )?(?P<name>.+?) (?:to|as|into) (?P<to>.+)`),
	french(rename, `renomme[rz]? (?:la |ma |le |mon |l')?(?:(?P<kind>zone|outil) )?(?P<name>.+?) en (?P<to>.+)`),
	english(setUnit, `(?:set|change) the unit (?:of|for) `+my+`(?P<tool>.+?) to (?P<unit>.+)`),
	french(setUnit, `(?:mets|mettre|change[rz]?) l'unité `+mon+`(?P<tool>.+?) en (?P<unit>.+)`),

	english(createZones, `(?:create|make|add|open)(?: the)? zones (?P<names>.+)`),
	french(createZones, `(?:cr[ée]e[rz]?|ajoute[rz]?|ouvre)(?: les)? zones (?P<names>.+)`),
	english(createZone, `(?:create|make|add|open|new)(?: an?| the| another)?(?: new)? zone (?:called |named |for )?(?P<name>.+)`),
	french(createZone, `(?:cr[ée]e[rz]?|ajoute[rz]?|fais|ouvre|nouvelle)(?: une| la)?(?: nouvelle)? zone (?:appelée |nommée |pour )?(?P<name>.+)`),
	english(deleteZone, `(?:delete|remove|erase) `+my+`zone (?P<name>.+)`),
	french(deleteZone, `(?:supprime[rz]?|efface[rz]?|enl[èe]ve[rz]?) (?:la |ma )?zone (?P<name>.+)`),
	english(deleteLast, `(?:delete|remove|erase|undo) `+my+`(?:last|latest) (?:entry|value|one|item|record)(?: (?:of|from|in|for|on))? `+my+`(?P<tool>.+)`),
	french(deleteLast, `(?:supprime[rz]?|efface[rz]?|enl[èe]ve[rz]?) (?:la |ma )?derni[èe]re (?:entrée|entree|valeur|mesure|saisie|ligne)(?: dans| sur| de| pour)? ?`+mon+`(?P<tool>.+)`),

	english(changeLast, `(?:change|correct|set|update|edit) `+my+`(?:last|latest) (?:entry|value|one|item|record)(?: (?:of|from|in|for|on))? `+my+`(?P<tool>.+?) to (?P<text>.+)`),
	french(changeLast, `(?:change|corrige|modifie|remplace)[rz]? (?:la |ma )?derni[èe]re (?:entrée|entree|valeur|mesure|saisie|ligne)(?: dans| sur| pour)? ?`+mon+`(?P<tool>.+?) (?:en|à|par) (?P<text>.+)`),

	english(track, `(?:(?:start|begin) )?(?:track|tracking|follow|measure|monitor) `+my+`(?P<what>.+?)(?: in (?P<first>[^ ]+))?(?: (?:between|from) (?P<min>`+plain+`) (?:and|to) (?P<max>`+plain+`))?(?: in (?:the )?(?:zone )?(?P<zone>.+))?`),
	french(track, `(?:suis|suivre|suivez|mesure[rz]?|surveille[rz]?) `+mon+`(?P<what>.+?)(?: en (?P<unit>[^ ]+))?(?: (?:entre|de) (?P<min>`+plain+`) (?:et|à) (?P<max>`+plain+`))?(?: dans (?:la )?(?:zone )?(?P<zone>.+))?`),

	english(addItem, `(?:add|put) (?P<item>.+) (?:to|on|onto) `+my+`(?P<tool>.*list)`),
	french(addItem, `(?:ajoute[rz]?|mets|mettre|mettez) (?P<item>.+) (?:à|a|sur|dans) `+mon+`(?P<tool>liste.*)`),
	english(checkItem, `(?:check|tick|cross)(?: off)? (?P<item>.+?)(?: off)? (?:on|in|from) `+my+`(?P<tool>.+)`),
	french(checkItem, `(?:coche[rz]?|raye[rz]?) (?P<item>.+) (?:sur|dans|de) `+mon+`(?P<tool>.+)`),

	english(recordValue, `(?:note|record|log|enter|save|add) `+aNumber+aUnit+` (?:for|in|to|under|as|on) `+my+`(?P<tool>.+?)`+dayEN),
	french(recordValue, `(?:note[rz]?|enregistre[rz]?|saisi[srt]*|ajoute[rz]?|mets) `+aNumber+aUnit+` (?:pour|dans|à|sur|comme) `+mon+`(?P<tool>.+?)`+dayFR),
	english(recordValue, `my (?P<tool>.+?) (?:is|was)(?: now| today)? `+aNumber+aUnit+dayEN),
	french(recordValue, `(?:mon|ma|mes) (?P<tool>.+?) (?:est|était|fait|vaut)(?: maintenant| aujourd'hui)?(?: de| à)? `+aNumber+aUnit+dayFR),

	english(showStats, `how (?:is|are|was|has|have|does|did) `+my+`(?P<tool>.+?)(?: (?:doing|going|evolving|been|changed|evolved|developed|developing|look|lately))*`+whenEN),
	english(showStats, `(?:stats|statistics|trend|summary|mean|average) (?:of|for|on) `+my+`(?P<tool>.+?)`+whenEN),
	french(showStats, `comment (?:évolue(?:nt)?|evolue(?:nt)?|va|vont?|(?:a|ont) évolué|se portent?|était|étaient) `+mon+`(?P<tool>.+?)`+whenFR),
	french(showStats, `(?:statistiques|stats|tendance|moyenne|bilan|évolution) (?:de |d')?`+mon+`(?P<tool>.+?)`+whenFR),
	english(showList, `(?:show|list)(?: me)? (?:the )?(?:(?:(?:last|latest) )?(?:(?P<n>\d{1,3}) )?(?:entries|values|data|items) (?:of|for|in|on) )?`+my+`(?P<tool>.+?)`+whenEN+`|what(?:'s| is) (?:on|in) `+my+`(?P<tool2>.+)`),
	french(showList, `(?:montre[rz]?|affiche[rz]?|liste[rz]?)(?:-moi)? (?:les (?:(?P<n>\d{1,3}) )?(?:derni[èe]res )?(?:entrées|valeurs|données) )?(?:de |dans )?`+mon+`(?P<tool>.+?)`+whenFR+`|qu'y a-t-il (?:sur|dans) `+mon+`(?P<tool2>.+)`),

	english(askForm, `ask me (?:with |to fill )?a form`), french(askForm, `pose-moi un formulaire|(?:un )?formulaire`),
	english(askText, `ask me (?:for )?(?:a |some )?text`), french(askText, `demande-moi un texte`),
	english(askPlan, `ask me (?:with |about )?a plan|make (?:me )?a plan`), french(askPlan, `(?:propose-moi|fais)(?:-moi)? un plan`),
	english(askYesNo, `ask me (?:a )?(?:yes or no|yes/no)(?: question)?`), french(askYesNo, `(?:pose-moi|demande-moi) (?:une question )?oui ou non`),
	english(askChoice, `ask me(?: .+)?|which(?: .+)?`), french(askChoice, `(?:pose|demande)(?:z)?-moi(?: .+)?|(?:lequel|laquelle|quelle?)(?: .+)?`),
}

// find is the first pattern that fits, with its captures.
func find(text string) (*pattern, captures) {
	for i := range patterns {
		p := &patterns[i]
		re := p.re()
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		g := captures{}
		for j, name := range re.SubexpNames() {
			if m[j] != "" {
				g[strings.TrimSuffix(name, "2")] = strings.TrimSpace(m[j])
			}
		}
		return p, g
	}
	return nil, nil
}

// partsOf cuts a message into what it asks for one after the other.
func partsOf(request string) []string {
	whole := clean(request)
	if p, _ := find(whole); p != nil && p.free {
		return []string{whole + ending(request)}
	}
	var out []string
	for _, part := range between.Split(strings.TrimSpace(request), -1) {
		if part = clean(part); part != "" && len(out) < maxParts {
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		return []string{whole}
	}
	return out
}

// isFrench guesses the language of a text that fits no pattern.
func isFrench(text string) bool {
	if p, _ := find(clean(text)); p != nil {
		return p.fr
	}
	return frenchWords.MatchString(text)
}
