package demo

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is one way of asking for something. Named groups are what the plan needs.
type pattern struct {
	fr   bool
	re   func() *regexp.Regexp
	plan func(c *planner, g groups)
	// free: the rest of the message belongs to it, however many sentences that is.
	free bool
}

type groups map[string]string

const (
	plain  = `[-+]?\d+(?:[.,]\d+)?`
	number = `(?P<value>` + plain + `)`
	unit   = `(?: ?(?P<unit>[\pL%°€$£][\pL\d%°/²³.]*))?`
	my     = `(?:my |the |our )?`
	mon    = `(?:mon |ma |mes |notre |nos |le |la |les |l'|du |de la |de l'|des |au |à la |à l'|aux |de mon |de ma |de mes )?`
)

// en compiles when the first message comes that it may fit: a server without the demo provider
// has none of the three megabytes that all of them take.
func en(plan func(*planner, groups), re string) pattern {
	compile := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + re + `)$`) })
	return pattern{re: compile, plan: plan}
}

func fr(plan func(*planner, groups), re string) pattern {
	p := en(plan, re)
	p.fr = true
	return p
}

func free(p pattern) pattern {
	p.free = true
	return p
}

// patterns are tried in order.
var patterns = []pattern{
	en(help, `help|\?|what can you do.*|what do you understand.*`),
	fr(help, `aide|aide-moi|que (?:sais|peux)-tu faire.*|que comprends-tu.*`),
	en(greet, `hello|hi|hey|good (?:morning|evening)`),
	fr(greet, `bonjour|bonsoir|salut|coucou`),
	en(welcome, `thanks|thank you|ok|great`),
	fr(welcome, `merci|merci beaucoup|d'accord|super`),

	free(en(automate, `(?:every|each|on) (?P<days>`+daysEN+`)(?:,? at (?P<at>`+timeEN+`))?(?:,|:| :)? (?P<task>(?s:.+))`)),
	free(fr(automate, `(?:tous les|toutes les|chaque|le) (?P<days>`+daysFR+`)(?:,? à (?P<at>`+timeFR+`))?(?:,|:| :)? (?P<task>(?s:.+))`)),

	free(en(journal, `(?:write|put|add|note)(?: this| down)? (?:in|into|to) `+my+`(?P<tool>journal|diary)(?: ?[:,-] ?| )(?P<text>(?s:.+))`)),
	free(fr(journal, `(?:[ée]cri(?:s|re|vez)|note[rz]?|ajoute[rz]?|mets) dans `+mon+`(?P<tool>journal)(?: ?[:,-] ?| )(?P<text>(?s:.+))`)),
	free(en(takeNote, `(?:(?:take|make) a |new )?note ?: ?(?P<text>(?s:.+))`)),
	free(fr(takeNote, `(?:prends|prendre|prenez|fais|nouvelle) (?:une |en )?note ?: ?(?P<text>(?s:.+))`)),

	en(automate, `(?P<task>.+?),? (?:every|each|on) (?P<days>`+daysEN+`),? at (?P<at>`+timeEN+`)`),
	fr(automate, `(?P<task>.+?),? (?:tous les|chaque|le) (?P<days>`+daysFR+`),? à (?P<at>`+timeFR+`)`),
	en(sumUp, `(?:sum up|summari[sz]e|review) (?:my |the )(?P<span>day|week|month)`),
	fr(sumUp, `(?:résume[rz]?|resume[rz]?|récapitule[rz]?) (?:ma |mon |la |le )(?P<span>journée|semaine|mois)`),

	en(journal, `write in `+my+`(?P<tool>journal|diary)`),
	fr(journal, `[ée]cri(?:s|re|vez) dans `+mon+`(?P<tool>journal)`),
	free(en(draft, `(?:draft|write) (?:a |the |my )?document (?:called |named )?(?P<name>[^:]+?) ?: ?(?P<text>(?s:.+))`)),
	free(fr(draft, `(?:r[ée]dige[rz]?|[ée]cri(?:s|re|vez)|prépare[rz]?) (?:un |le |mon )?document (?:appelé |nommé )?(?P<name>[^:]+?) ?: ?(?P<text>(?s:.+))`)),
	free(en(askAgent, `(?:ask|tell) (?:the )?agent (?P<agent>[\pL\d_. -]+?) ?(?:: ?|, | to )(?P<task>(?s:.+))`)),
	free(fr(askAgent, `(?:demande[rz]?|dis) à l'agent (?P<agent>[\pL\d_. -]+?) ?(?:: ?|, | de )(?P<task>(?s:.+))`)),
	free(en(noteInDocuments, `(?:note|write|put|remember)(?: down)? in (?:the |my |our )?documents(?: that |: ?| : | )(?P<text>(?s:.+))`)),
	free(fr(noteInDocuments, `(?:note[rz]?|[ée]cri(?:s|re|vez)|mets) dans (?:les |mes |nos )documents(?: que | qu'| ?: ?| )(?P<text>(?s:.+))`)),
	en(searchDocuments, `what do (?:the |my |our )?documents say (?:about|of|on) `+my+`(?P<text>.+)`),
	fr(searchDocuments, `que disent (?:les |mes |nos )documents (?:sur |de |du |à propos de )`+mon+`(?P<text>.+)`),
	en(publish, `publish (?:the |my )?document (?P<name>.+)`),
	fr(publish, `publie[rz]? (?:le |mon )?document (?P<name>.+)`),
	en(documents, `(?:show|list)(?: me)? (?:my |the |all )?documents|what documents (?:do i have|are there)`),
	fr(documents, `(?:montre[rz]?|liste[rz]?)(?:-moi)? (?:mes |les |tous mes )?documents|quels documents (?:ai-je|y a-t-il)`),
	en(document, `(?:show|read)(?: me)? (?:the |my )?document (?P<name>.+)`),
	fr(document, `(?:montre[rz]?|lis|lire)(?:-moi)? (?:le |mon )?document (?P<name>.+)`),
	en(more, `(?:show )?(?:me )?more|go on|next(?: page)?|the rest`),
	fr(more, `la suite|suite|plus|page suivante`),
	en(search, `(?:search(?: for)?|look for) (?P<text>.+)|find (?P<text2>.+)`),
	fr(search, `(?:cherche|recherche|trouve)[rz]? (?P<text>.+)`),

	en(overview, `(?:so )?what (?:do i have|have i got|is there)|show (?:me )?(?:everything|all|my (?:zones|tools|data|things))|overview|(?:list )?(?:my )?(?:zones|tools)|what are my (?:zones|tools)`),
	fr(overview, `qu['e ]+(?:st-ce que )?j'ai|qu'ai-je|montre[rz]?(?:-moi)? (?:tout|mes (?:zones|outils|données))|(?:liste[rz]? )?(?:mes )?(?:zones|outils)|quel(?:le)?s sont mes (?:zones|outils)|vue d'ensemble`),

	en(createType, `(?:create|make|add)(?: an?| the)?(?: new)? tool type (?:called |named )?(?P<name>.+?) (?:with|having) (?:the fields? )?(?P<fields>.+)`),
	fr(createType, `(?:cr[ée]e[rz]?|ajoute[rz]?)(?: un)?(?: nouveau)? type d'outil (?:appelé |nommé )?(?P<name>.+?) avec (?:les champs |le champ )?(?P<fields>.+)`),
	en(createOf, `(?:create|make|add)(?: an?| the)?(?: new)? tool (?:called |named )?(?P<name>.+?) of (?:the )?type (?P<type>.+?)(?: in (?:the )?(?:zone )?(?P<zone>.+))?`),
	fr(createOf, `(?:cr[ée]e[rz]?|ajoute[rz]?)(?: un| l')? ?(?:nouvel )?outil (?:appelé |nommé )?(?P<name>.+?) (?:de|du) type (?P<type>.+?)(?: dans (?:la )?(?:zone )?(?P<zone>.+))?`),
	en(fillIn, `(?:add|put|enter) (?:to|in|into) `+my+`(?P<tool>.+?) ?: ?(?P<pairs>.+=.+)`),
	fr(fillIn, `(?:ajoute[rz]?|mets|mettre|saisi[srt]*) (?:à |dans |sur )?`+mon+`(?P<tool>.+?) ?: ?(?P<pairs>.+=.+)`),
	en(rename, `rename (?:my |the )?(?:(?P<kind>zone|tool) )?(?P<name>.+?) (?:to|as|into) (?P<to>.+)`),
	fr(rename, `renomme[rz]? (?:la |ma |le |mon |l')?(?:(?P<kind>zone|outil) )?(?P<name>.+?) en (?P<to>.+)`),
	en(setUnit, `(?:set|change) the unit (?:of|for) `+my+`(?P<tool>.+?) to (?P<unit>.+)`),
	fr(setUnit, `(?:mets|mettre|change[rz]?) l'unité `+mon+`(?P<tool>.+?) en (?P<unit>.+)`),

	en(createZones, `(?:create|make|add|open)(?: the)? zones (?P<names>.+)`),
	fr(createZones, `(?:cr[ée]e[rz]?|ajoute[rz]?|ouvre)(?: les)? zones (?P<names>.+)`),
	en(createZone, `(?:create|make|add|open|new)(?: an?| the| another)?(?: new)? zone (?:called |named |for )?(?P<name>.+)`),
	fr(createZone, `(?:cr[ée]e[rz]?|ajoute[rz]?|fais|ouvre|nouvelle)(?: une| la)?(?: nouvelle)? zone (?:appelée |nommée |pour )?(?P<name>.+)`),
	en(deleteZone, `(?:delete|remove|erase) `+my+`zone (?P<name>.+)`),
	fr(deleteZone, `(?:supprime[rz]?|efface[rz]?|enl[èe]ve[rz]?) (?:la |ma )?zone (?P<name>.+)`),
	en(deleteLast, `(?:delete|remove|erase|undo) `+my+`(?:last|latest) (?:entry|value|one|item|record)(?: (?:of|from|in|for|on))? `+my+`(?P<tool>.+)`),
	fr(deleteLast, `(?:supprime[rz]?|efface[rz]?|enl[èe]ve[rz]?) (?:la |ma )?derni[èe]re (?:entrée|entree|valeur|mesure|saisie|ligne)(?: dans| sur| de| pour)? ?`+mon+`(?P<tool>.+)`),

	en(changeLast, `(?:change|correct|set|update|edit) `+my+`(?:last|latest) (?:entry|value|one|item|record)(?: (?:of|from|in|for|on))? `+my+`(?P<tool>.+?) to (?P<text>.+)`),
	fr(changeLast, `(?:change|corrige|modifie|remplace)[rz]? (?:la |ma )?derni[èe]re (?:entrée|entree|valeur|mesure|saisie|ligne)(?: dans| sur| pour)? ?`+mon+`(?P<tool>.+?) (?:en|à|par) (?P<text>.+)`),

	en(track, `(?:(?:start|begin) )?(?:track|tracking|follow|measure|monitor) `+my+`(?P<what>.+?)(?: in (?P<first>[^ ]+))?(?: (?:between|from) (?P<min>`+plain+`) (?:and|to) (?P<max>`+plain+`))?(?: in (?:the )?(?:zone )?(?P<zone>.+))?`),
	fr(track, `(?:suis|suivre|suivez|mesure[rz]?|surveille[rz]?) `+mon+`(?P<what>.+?)(?: en (?P<unit>[^ ]+))?(?: (?:entre|de) (?P<min>`+plain+`) (?:et|à) (?P<max>`+plain+`))?(?: dans (?:la )?(?:zone )?(?P<zone>.+))?`),

	en(addItem, `(?:add|put) (?P<item>.+) (?:to|on|onto) `+my+`(?P<tool>.*list)`),
	fr(addItem, `(?:ajoute[rz]?|mets|mettre|mettez) (?P<item>.+) (?:à|a|sur|dans) `+mon+`(?P<tool>liste.*)`),
	en(checkItem, `(?:check|tick|cross)(?: off)? (?P<item>.+?)(?: off)? (?:on|in|from) `+my+`(?P<tool>.+)`),
	fr(checkItem, `(?:coche[rz]?|raye[rz]?) (?P<item>.+) (?:sur|dans|de) `+mon+`(?P<tool>.+)`),

	en(recordValue, `(?:note|record|log|enter|save|add) `+number+unit+` (?:for|in|to|under|as|on) `+my+`(?P<tool>.+?)`+dayEN),
	fr(recordValue, `(?:note[rz]?|enregistre[rz]?|saisi[srt]*|ajoute[rz]?|mets) `+number+unit+` (?:pour|dans|à|sur|comme) `+mon+`(?P<tool>.+?)`+dayFR),
	en(recordValue, `my (?P<tool>.+?) (?:is|was)(?: now| today)? `+number+unit+dayEN),
	fr(recordValue, `(?:mon|ma|mes) (?P<tool>.+?) (?:est|était|fait|vaut)(?: maintenant| aujourd'hui)?(?: de| à)? `+number+unit+dayFR),

	en(stats, `how (?:is|are|was|has|have|does|did) `+my+`(?P<tool>.+?)(?: (?:doing|going|evolving|been|changed|evolved|developed|developing|look|lately))*`+whenEN),
	en(stats, `(?:stats|statistics|trend|summary|mean|average) (?:of|for|on) `+my+`(?P<tool>.+?)`+whenEN),
	fr(stats, `comment (?:évolue(?:nt)?|evolue(?:nt)?|va|vont?|(?:a|ont) évolué|se portent?|était|étaient) `+mon+`(?P<tool>.+?)`+whenFR),
	fr(stats, `(?:statistiques|stats|tendance|moyenne|bilan|évolution) (?:de |d')?`+mon+`(?P<tool>.+?)`+whenFR),
	en(list, `(?:show|list)(?: me)? (?:the )?(?:(?:(?:last|latest) )?(?:(?P<n>\d{1,3}) )?(?:entries|values|data|items) (?:of|for|in|on) )?`+my+`(?P<tool>.+?)`+whenEN+`|what(?:'s| is) (?:on|in) `+my+`(?P<tool2>.+)`),
	fr(list, `(?:montre[rz]?|affiche[rz]?|liste[rz]?)(?:-moi)? (?:les (?:(?P<n>\d{1,3}) )?(?:derni[èe]res )?(?:entrées|valeurs|données) )?(?:de |dans )?`+mon+`(?P<tool>.+?)`+whenFR+`|qu'y a-t-il (?:sur|dans) `+mon+`(?P<tool2>.+)`),

	en(askForm, `ask me (?:with |to fill )?a form`), fr(askForm, `pose-moi un formulaire|(?:un )?formulaire`),
	en(askText, `ask me (?:for )?(?:a |some )?text`), fr(askText, `demande-moi un texte`),
	en(askPlan, `ask me (?:with |about )?a plan|make (?:me )?a plan`), fr(askPlan, `(?:propose-moi|fais)(?:-moi)? un plan`),
	en(askYesNo, `ask me (?:a )?(?:yes or no|yes/no)(?: question)?`), fr(askYesNo, `(?:pose-moi|demande-moi) (?:une question )?oui ou non`),
	en(askChoice, `ask me(?: .+)?|which(?: .+)?`), fr(askChoice, `(?:pose|demande)(?:z)?-moi(?: .+)?|(?:lequel|laquelle|quelle?)(?: .+)?`),
}

// find is the first pattern that fits, with its groups.
func find(text string) (*pattern, groups) {
	for i := range patterns {
		p := &patterns[i]
		re := p.re()
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		g := groups{}
		for j, name := range re.SubexpNames() {
			if m[j] != "" {
				g[strings.TrimSuffix(name, "2")] = strings.TrimSpace(m[j])
			}
		}
		return p, g
	}
	return nil, nil
}

var (
	polite = regexp.MustCompile(`(?i)^(?:please|hello|hey|hi|ok|can you|could you|would you|and|so|i want to|i would like to|i'd like to|` +
		`bonjour|salut|et|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|s'il te pla[iî]t|s'il vous pla[iî]t|je veux|je voudrais|j'aimerais)[, ]+`)
	politeEnd = regexp.MustCompile(`(?i),? (?:please|thanks|thank you|s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|merci)$`)
	between   = regexp.MustCompile(`(?i)[.!?]+\s+|\s*[;\n]\s*|,? (?:and then|then|et puis|puis|ensuite) `)
	again     = regexp.MustCompile(`(?i)^(?:again|once more|do it again|encore|encore une fois|refais-le)$`)
)

func clean(text string) string {
	text = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ").Replace(text)
	text = strings.TrimRight(strings.TrimSpace(text), " .!?")
	for {
		shorter := politeEnd.ReplaceAllString(polite.ReplaceAllString(text, ""), "")
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// ending is the punctuation that clean takes off: a text of the person's keeps it.
func ending(text string) string {
	text = strings.TrimSpace(text)
	return text[len(strings.TrimRight(text, " .!?")):]
}

func isAgain(text string) bool { return again.MatchString(clean(text)) }

// maxParts bounds how much one message can ask for.
const maxParts = 10

// parts cuts a message into what it asks for one after the other.
func parts(request string) []string {
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

var frenchWords = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:le|la|les|des|du|une?|mon|ma|mes|je|j|tu|est|et|pour|dans|avec|que|quoi|qui|bonjour|merci|aide|encore)(?:$|[^\pL])|[éèêàçùœ]`)

// french guesses the language of a text that fits no pattern.
func french(text string) bool {
	if p, _ := find(clean(text)); p != nil {
		return p.fr
	}
	return frenchWords.MatchString(text)
}
