package demo

import (
	"fmt"
	"strings"
)

const helpEN = `I am a demo: a few rules, no AI model. What I understand:

- what do I have
- create a zone Health
- track my weight in kg in Health
- note 72.5 for weight · my weight is 72.5
- how is my weight · show my weight
- add milk and bread to the shopping list · tick milk on the shopping list · what is on the shopping list
- write in my journal: a fine day
- take a note: call the plumber
- delete the last entry of weight · delete the zone Health (I ask for your yes first)
- ask me something · ask me with a form · ask me for a text · ask me a yes or no question · make a plan
- again

Several can stand in one message: “note 72.5 for weight, then how is my weight?”`

const helpFR = `Je suis une démo : quelques règles, pas de modèle d'IA. Voici ce que je comprends :

- qu'est-ce que j'ai
- crée une zone Santé
- suis mon poids en kg dans Santé
- note 72,5 pour le poids · mon poids est de 72,5
- comment évolue mon poids · montre mon poids
- ajoute du lait et du pain à la liste de courses · coche le lait sur la liste de courses · qu'y a-t-il sur la liste de courses
- écris dans mon journal : une belle journée
- prends une note : appeler le plombier
- supprime la dernière entrée du poids · supprime la zone Santé (je demande d'abord votre accord)
- pose-moi une question · pose-moi un formulaire · demande-moi un texte · pose-moi une question oui ou non · fais un plan
- encore

On peut en dire plusieurs à la fois : « note 72,5 pour le poids, puis comment évolue mon poids ? »`

func help(c *conversation, _ groups) { c.said = append(c.said, c.in(helpEN, helpFR)) }

func greet(c *conversation, _ groups) {
	c.say("Hello! Say “help” to see what I understand.", "Bonjour ! Dites « aide » pour voir ce que je comprends.")
}

func welcome(c *conversation, _ groups) { c.say("You are welcome.", "Je vous en prie.") }

func (c *conversation) didNotUnderstand(part string) {
	if part == "" {
		c.say("There is nothing for me to do. Say “help” to see what I understand.",
			"Je n'ai rien à faire. Dites « aide » pour voir ce que je comprends.")
		return
	}
	c.say("I am only a demo and do not understand “%s”. I understand, for example: “what do I have”, “create a zone Health”, “track my weight in kg in Health”, “note 72.5 for weight”, “how is my weight”. “help” shows it all.",
		"Je ne suis qu'une démo et ne comprends pas « %s ». Je comprends par exemple : « qu'est-ce que j'ai », « crée une zone Santé », « suis mon poids en kg dans Santé », « note 72,5 pour le poids », « comment évolue mon poids ». « aide » montre tout.", oneLine(part))
}

// nobody tells that a question cannot be put in an automation.
func (c *conversation) nobody() {
	if c.automation {
		c.say("I would have asked a question, but nobody is there in an automation.",
			"J'aurais posé une question, mais il n'y a personne dans une automatisation.")
	}
}

func askChoice(c *conversation, _ groups) {
	question := c.in("What would you like to see next?", "Que voulez-vous voir ensuite ?")
	options := []string{c.in("My zones", "Mes zones"), c.in("What the demo understands", "Ce que la démo comprend"), c.in("Nothing, thanks", "Rien, merci")}
	chosen, ok := c.ask("MultipleChoice", map[string]any{"question": question, "options": options})
	switch {
	case !ok:
		c.nobody()
	case strings.Contains(chosen, options[0]):
		overview(c, nil)
	case strings.Contains(chosen, options[1]):
		help(c, nil)
	default:
		c.say("You chose: %s.", "Vous avez choisi : %s.", oneLine(chosen))
	}
}

func askYesNo(c *conversation, _ groups) {
	answer, ok := c.ask("Validation", map[string]any{"message": c.in("Is this your first look at Fermata?", "Est-ce votre premier regard sur Fermata ?")})
	if !ok {
		c.nobody()
		return
	}
	c.say("You answered: %s.", "Vous avez répondu : %s.", oneLine(answer))
}

func askText(c *conversation, _ groups) {
	answer, ok := c.ask("Text", map[string]any{
		"question":    c.in("What is on your mind?", "À quoi pensez-vous ?"),
		"placeholder": c.in("A few words", "Quelques mots"),
	})
	if !ok {
		c.nobody()
		return
	}
	c.say("You wrote: %s", "Vous avez écrit : %s", oneLine(answer))
}

func askForm(c *conversation, _ groups) {
	answer, ok := c.ask("Form", map[string]any{
		"title": c.in("A few things about you", "Quelques mots sur vous"),
		"schema": map[string]any{
			"type": "object", "required": []string{"name"},
			"properties": map[string]any{
				"name": map[string]any{"type": "string", "title": c.in("Name", "Nom")},
				"cups": map[string]any{"type": "integer", "title": c.in("Cups of coffee a day", "Cafés par jour"), "minimum": 0, "maximum": 20},
			},
		},
	})
	if !ok {
		c.nobody()
		return
	}
	c.say("Thank you. I received: %s", "Merci. J'ai reçu : %s", oneLine(answer))
}

// askPlan proposes a plan and carries it out after a yes.
func askPlan(c *conversation, _ groups) {
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
		c.nobody()
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
