package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const helpEN = `I am a demo: a few rules, no AI model. What I understand:

Your data
- what do I have · create a zone Health · create the zones Kitchen, Garden and Attic (I ask first: approve all or a part)
- track my weight in kg in Health · track my sleep in hours between 0 and 24 in Health
- note 72.5 for weight · note 73 for weight yesterday · my weight is 72.5
- add milk and bread to the shopping list · tick milk on the shopping list · what is on the shopping list
- write in my journal: a fine day · write in my journal (I ask for the text) · take a note: call the plumber

Looking
- how is my weight · how was my weight last week · stats of weight for the last 30 days by week
- show my weight · show the last 2 entries of weight · more
- search for plumber

Changing (I ask for your yes; you see the values before and after)
- change the last entry of weight to 71.9 · delete the last entry of weight · delete the zone Health
- rename the zone Health to Wellbeing · set the unit of weight to lb

By itself (I propose an automation; you see when it runs, and approve it)
- every Monday at 8, sum up my week · every weekday at 7:30, what do I have · sum up my week

Documents and types of your own
- draft a document House rules: shoes off · publish the document House rules · show my documents · show the document House rules
- note in the documents that the office closes at six · what do the documents say about the office (an agent looks after them)
- ask the agent ContextManager: publish the document House rules
- create a tool type Book with title, author and pages (number) · create a tool Reading of type Book in Home
- add to Reading: title = Dune, author = Frank Herbert, pages = 412

Questions
- ask me something · ask me with a form · ask me for a text · ask me a yes or no question · make a plan
- again

Several can stand in one message: “note 72.5 for weight, then how is my weight?” A tool that you refer to in a message brings its data along. The same thing asked twice within 30 seconds is not done twice; “again” does it all the same.`

const helpFR = `Je suis une démo : quelques règles, pas de modèle d'IA. Voici ce que je comprends :

Vos données
- qu'est-ce que j'ai · crée une zone Santé · crée les zones Cuisine, Jardin et Grenier (je demande d'abord : acceptez tout ou une partie)
- suis mon poids en kg dans Santé · suis mon sommeil en heures entre 0 et 24 dans Santé
- note 72,5 pour le poids · note 73 pour le poids hier · mon poids est de 72,5
- ajoute du lait et du pain à la liste de courses · coche le lait sur la liste de courses · qu'y a-t-il sur la liste de courses
- écris dans mon journal : une belle journée · écris dans mon journal (je demande le texte) · prends une note : appeler le plombier

Regarder
- comment évolue mon poids · comment a évolué mon poids la semaine dernière · statistiques du poids sur les 30 derniers jours par semaine
- montre mon poids · montre les 2 dernières entrées du poids · la suite
- cherche plombier

Modifier (je demande votre accord ; vous voyez les valeurs avant et après)
- change la dernière entrée du poids en 71,9 · supprime la dernière entrée du poids · supprime la zone Santé
- renomme la zone Santé en Bien-être · change l'unité du poids en lb

Tout seul (je propose une automatisation ; vous voyez quand elle s'exécute, et donnez votre accord)
- chaque lundi à 8 h, résume ma semaine · tous les jours à 7 h 30, qu'est-ce que j'ai · résume ma semaine

Documents et types à vous
- rédige un document Règles : sans chaussures · publie le document Règles · montre mes documents · montre le document Règles
- note dans les documents que le bureau ferme à six heures · que disent les documents sur le bureau (un agent s'en occupe)
- demande à l'agent ContextManager : publie le document Règles
- crée un type d'outil Livre avec titre, auteur et pages (nombre) · crée un outil Lectures de type Livre dans Maison
- ajoute à Lectures : titre = Dune, auteur = Frank Herbert, pages = 412

Questions
- pose-moi une question · pose-moi un formulaire · demande-moi un texte · pose-moi une question oui ou non · fais un plan
- encore

On peut en dire plusieurs à la fois : « note 72,5 pour le poids, puis comment évolue mon poids ? » Un outil désigné dans un message apporte ses données. La même chose demandée deux fois en 30 secondes n'est pas faite deux fois ; « encore » la fait quand même.`

func help(c *planner, _ groups) {
	c.introduced = true
	c.said = append(c.said, c.in(helpEN, helpFR))
}

func greet(c *planner, _ groups) {
	c.say("Hello! Say “help” to see what I understand.", "Bonjour ! Dites « aide » pour voir ce que je comprends.")
}

func welcome(c *planner, _ groups) { c.say("You are welcome.", "Je vous en prie.") }

func (c *planner) didNotUnderstand(part string) {
	if c.agent {
		c.asksBack = true
		c.say("I am only a demo and do not understand this task: “%s”.", "Je ne suis qu'une démo et ne comprends pas cette tâche : « %s ».",
			oneLine(part))
		return
	}
	if part == "" {
		c.say("There is nothing for me to do. Say “help” to see what I understand.",
			"Je n'ai rien à faire. Dites « aide » pour voir ce que je comprends.")
		return
	}
	if len(c.ended) > 0 && c.ended[len(c.ended)-1].kind == notApproved {
		c.say("I read your reason: “%s”. I am only a demo: say what to do instead, or “help”.",
			"J'ai lu votre raison : « %s ». Je ne suis qu'une démo : dites ce qu'il faut faire à la place, ou « aide ».", oneLine(part))
		return
	}
	c.introduced = true
	c.say(
		"I am only a demo and do not understand “%s”: I follow a few rules, without an AI model. I understand, for example: “what do I have”, “create a zone Health”, “track my weight in kg in Health”, “note 72.5 for weight”, “how is my weight”. “help” shows it all.",
		"Je ne suis qu'une démo et ne comprends pas « %s » : j'obéis à quelques règles, sans modèle d'IA. Je comprends par exemple : « qu'est-ce que j'ai », « crée une zone Santé », « suis mon poids en kg dans Santé », « note 72,5 pour le poids », « comment évolue mon poids ». « aide » montre tout.",
		oneLine(part),
	)
}

// cannotAsk explains that an automation cannot ask questions.
func (c *planner) cannotAsk() {
	if c.automation {
		c.say("I would have asked a question, but nobody is there in an automation.",
			"J'aurais posé une question, mais il n'y a personne dans une automatisation.")
	}
}

func askChoice(c *planner, _ groups) {
	question := c.in("What would you like to see next?", "Que voulez-vous voir ensuite ?")
	options := []string{
		c.in("My zones", "Mes zones"),
		c.in("What the demo understands", "Ce que la démo comprend"),
		c.in("Nothing, thanks", "Rien, merci"),
	}
	chosen, ok := c.ask("MultipleChoice", map[string]any{"question": question, "options": options})
	switch {
	case !ok:
		c.cannotAsk()
	case strings.Contains(chosen, options[0]):
		overview(c, nil)
	case strings.Contains(chosen, options[1]):
		help(c, nil)
	default:
		c.say("You chose: %s.", "Vous avez choisi : %s.", oneLine(chosen))
	}
}

func askYesNo(c *planner, _ groups) {
	answer, ok := c.ask(
		"Validation",
		map[string]any{"message": c.in("Is this your first look at Fermata?", "Est-ce votre premier regard sur Fermata ?")},
	)
	if !ok {
		c.cannotAsk()
		return
	}
	c.say("You answered: %s.", "Vous avez répondu : %s.", oneLine(answer))
}

func askText(c *planner, _ groups) {
	answer, ok := c.ask("Text", map[string]any{
		"question":    c.in("What is on your mind?", "À quoi pensez-vous ?"),
		"placeholder": c.in("A few words", "Quelques mots"),
	})
	if !ok {
		c.cannotAsk()
		return
	}
	c.say("You wrote: %s", "Vous avez écrit : %s", oneLine(answer))
}

// askForm asks for something to track, makes it, and notes its first value.
func askForm(c *planner, _ groups) {
	answer, ok := c.ask("Form", map[string]any{
		"title": c.in("Something to track", "Quelque chose à suivre"),
		"schema": map[string]any{
			"type": "object", "required": []string{"name"},
			"properties": map[string]any{
				"name":  map[string]any{"type": "string", "title": c.in("Name", "Nom"), "minLength": 1, "maxLength": 80},
				"unit":  map[string]any{"type": "string", "title": c.in("Unit", "Unité"), "maxLength": 40},
				"value": map[string]any{"type": "number", "title": c.in("First value", "Première valeur")},
			},
		},
	})
	if !ok {
		c.cannotAsk()
		return
	}
	name := title(formField(answer, "name"))
	if name == "" {
		c.say("Without a name I track nothing.", "Sans nom, je ne suis rien.")
		return
	}
	config := map[string]any{}
	if unit := formField(answer, "unit"); unit != "" {
		config["unit"] = unit
	}
	id, ok := c.createTool(name, "tracking", "", config)
	if !ok {
		return
	}
	value := formField(answer, "value")
	if !jsonNumber.MatchString(value) {
		c.say("“%s” is there.", "« %s » est là.", name)
		return
	}
	said := c.decimal(value) + after(formField(answer, "unit"))
	if c.addEntries(c.in("I note its first value.", "Je note sa première valeur."), id, "", map[string]any{"value": json.Number(value)}) {
		c.say("“%s” is there, with %s.", "« %s » est là, avec %s.", name, said)
	}
}

var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$`)

// formField finds a field in the answer to a form: lines like "Name (name): Coffee".
func formField(answer, name string) string {
	for line := range strings.SplitSeq(answer, "\n") {
		label, value, ok := strings.Cut(line, ": ")
		if ok && (label == name || strings.HasSuffix(label, "("+name+")")) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// askPlan proposes a plan and carries it out once it is approved.
func askPlan(c *planner, _ groups) {
	zone, tool := c.in("Health", "Santé"), c.in("Steps", "Pas")
	answer, ok := c.ask("Plan", map[string]any{
		"title": c.in("A first tool", "Un premier outil"),
		"steps": []string{
			fmt.Sprintf(c.in("Find or create the zone “%s”", "Trouver ou créer la zone « %s »"), zone),
			fmt.Sprintf(c.in("Create the tracking tool “%s”", "Créer l'outil de suivi « %s »"), tool),
		},
	})
	switch {
	case !ok:
		c.cannotAsk()
	case isNo(answer):
		c.say("All right, I leave it.", "Très bien, je n'y touche pas.")
	default:
		track(c, groups{"what": tool, "zone": zone})
	}
}

func isNo(answer string) bool {
	key := keyOf(answer)
	return strings.HasPrefix(key, "no") || strings.HasPrefix(key, "false") || strings.HasPrefix(key, "refus")
}
