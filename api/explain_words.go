package api

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fermata-dev/fermata/domain"
)

// doing says what a session that works is doing.
var doing = map[domain.Phase][2]string{
	domain.ExecutingEnrichments:       {"It is reading the data that the message refers to.", "Elle lit les données que cite le message."},
	domain.CompactingContext:          {"The AI is summarising the older part of the conversation, which has grown too long.", "L’IA résume le début de la conversation, devenue trop longue."},
	domain.CallingAI:                  {"It is waiting for the AI’s answer.", "Elle attend la réponse de l’IA."},
	domain.ParsingAIResponse:          {"It is reading the AI’s answer.", "Elle lit la réponse de l’IA."},
	domain.ExecutingDataQueries:       {"It is reading the data that the AI asked for.", "Elle lit les données que l’IA demande."},
	domain.ExecutingActions:           {"It is carrying out the AI’s actions.", "Elle exécute les actions de l’IA."},
	domain.RetryingAfterFormatError:   {"It is sending the AI a correction: its answer could not be read.", "Elle renvoie à l’IA une correction : sa réponse était illisible."},
	domain.RetryingAfterActionFailure: {"It is telling the AI which action failed.", "Elle dit à l’IA quelle action a échoué."},
	domain.AwaitingSessionClosure:     {"It has finished and is closing.", "Elle a fini et se termine."},
}

// ended says how a session ended.
var ended = map[domain.EndReason][2]string{
	domain.EndCompleted:    {"It has ended: its work is done.", "Elle est terminée : son travail est fait."},
	domain.EndLimitReached: {"It has ended: a limit was reached.", "Elle est terminée : une limite a été atteinte."},
	domain.EndError:        {"It has ended with an error.", "Elle s’est terminée sur une erreur."},
	domain.EndTimeout:      {"It has ended: it took too long.", "Elle est terminée : elle a trop duré."},
	domain.EndCancelled:    {"It was stopped.", "Elle a été arrêtée."},
}

// budgets name a limit of tokens or money.
var budgets = map[string][2]string{
	"max_tokens_per_round": {"tokens for a round", "jetons par tour"},
	"max_cost_per_round":   {"money for a round", "dépense par tour"},
	"max_cost_per_session": {"money for this session", "dépense de cette session"},
	"max_cost_per_day":     {"the workspace’s money for a day", "dépense par jour de l’espace"},
	"max_cost_per_month":   {"the workspace’s money for a month", "dépense par mois de l’espace"},
}

// explained says an explanation in words: what the session waits for, then what makes
// it go on.
func explained(e *domain.Explanation, settings *domain.Settings) string {
	s, clock := speechIn(settings.Language), clockOf(settings)
	until := ""
	if e.Waits.Until != nil {
		until = clock(*e.Waits.Until)
	}
	sentences := []string{s.waiting(e, until)}
	if e.Waits.LastError != "" && e.Waits.Kind != domain.ForProvider {
		sentences = append(sentences, s.say("The last call of the AI failed: %s.",
			"Le dernier appel de l’IA a échoué : %s.", strings.TrimSuffix(e.Waits.LastError, ".")))
	}
	for i := range e.Waits.Agents {
		a := &e.Waits.Agents[i]
		sentences = append(sentences, s.say("Its agent %s (%s): %s", "Son agent %s (%s) : %s", s.name(a), a.ID, s.agent(a)))
	}
	if more := s.goesOn(e, until); more != "" {
		sentences = append(sentences, more)
	}
	return strings.Join(sentences, " ")
}

// waiting is the first sentence.
func (s speech) waiting(e *domain.Explanation, until string) string {
	w := &e.Waits
	switch w.Kind {
	case domain.ForSlot:
		return s.slot(w)
	case domain.ForApproval:
		return s.say("It waits for a person’s yes or no to its actions (%s).",
			"Elle attend qu’une personne accepte ou refuse ses actions (%s).", orNone(w.ApprovalID))
	case domain.ForSignIn:
		return s.say("A call to a connector waits until somebody has signed in to it, or refused (%s).",
			"Un appel d’un connecteur attend que quelqu’un s’y connecte ou refuse (%s).", orNone(w.ApprovalID))
	case domain.ForQuestion:
		return s.say("It asked a question and waits for the answer (%s).",
			"Elle a posé une question et attend la réponse (%s).", orNone(w.ApprovalID))
	case domain.ForBudget:
		name, known := budgets[w.Limit]
		if !known {
			name = [2]string{orNone(w.Limit), orNone(w.Limit)}
		}
		return s.say("A budget is used up: %s (%s).", "Un budget est épuisé : %s (%s).", s.pick(name), orNone(w.ApprovalID))
	case domain.ForCompletion:
		if e.UnblockedBy == domain.ByAnswer {
			return s.say("It says that it is done and waits for a person to confirm (%s).",
				"Elle dit avoir fini et attend qu’une personne le confirme (%s).", orNone(w.ApprovalID))
		}
		return s.say("It says that it is done.", "Elle dit avoir fini.")
	case domain.ForProvider:
		return s.say("The AI’s provider could not be reached (attempt %d): %s.",
			"Le fournisseur d’IA est injoignable (essai %d) : %s.", w.Attempt, strings.TrimSuffix(orNone(w.LastError), "."))
	case domain.ForTask:
		return s.tasks(w)
	case domain.ForSchedule:
		if w.Deaths > 0 {
			return s.say("It is taken up again at %s, because the server died %s while performing its step.",
				"Elle sera reprise à %s, car le serveur est tombé %s pendant son étape.", until, s.pick(timesInARow(w.Deaths)))
		}
		return s.say("It is not due before %s.", "Elle n’est pas due avant %s.", until)
	case domain.ForPerson:
		if e.UnblockedBy == domain.ByResume {
			return s.say("The server died four times in a row while performing its step, and it was put aside.",
				"Le serveur est tombé quatre fois de suite pendant son étape, et elle a été mise de côté.")
		}
		return s.say("It is at rest.", "Elle est au repos.")
	case domain.ForItself:
		return s.pick(doingOr(e.Session.Phase))
	default:
		return s.nothing(e.Session)
	}
}

// tasks says which work outside it waits for, and that one of them asks something.
func (s speech) tasks(w *domain.Waits) string {
	text := s.say("It waits for the result of work that goes on outside (%s).",
		"Elle attend le résultat d’un travail en cours ailleurs (%s).", orNone(strings.Join(w.Tasks, ", ")))
	if w.ApprovalID != "" {
		text += " " + s.say("The service asks a person something first (%s).",
			"Le service demande d’abord quelque chose à une personne (%s).", w.ApprovalID)
	}
	return text
}

// agent says what an agent of the session is doing.
func (s speech) agent(a *domain.SessionName) string {
	if a.Phase == domain.WaitingNetworkRetry {
		return s.say("the AI’s provider could not be reached; it tries again.", "le fournisseur d’IA est injoignable ; il réessaie.")
	}
	if _, works := doing[a.Phase]; !works {
		return s.say("it waits for a person.", "il attend une personne.")
	}
	words := []rune(s.pick(agentDoing(a.Phase)))
	words[0] = unicode.ToLower(words[0])
	return string(words)
}

// agentDoing is doing, of one who is not a session in French.
func agentDoing(phase domain.Phase) [2]string {
	words := doing[phase]
	if rest, ok := strings.CutPrefix(words[1], "Elle "); ok {
		words[1] = "Il " + rest
	}
	return words
}

func timesInARow(n int) [2]string {
	switch n {
	case 1:
		return [2]string{"once", "une fois"}
	case 2:
		return [2]string{"twice", "deux fois de suite"}
	default:
		return [2]string{fmt.Sprintf("%d times in a row", n), fmt.Sprintf("%d fois de suite", n)}
	}
}

func (s speech) nothing(session *domain.Session) string {
	if words, known := ended[session.EndReason]; known && session.Phase == domain.Completed {
		return s.pick(words)
	}
	if session.Type == domain.Seed {
		return s.say("It is the template of an automation and never runs itself.",
			"C’est le modèle d’une automatisation : elle ne s’exécute jamais elle-même.")
	}
	return s.say("It has ended.", "Elle est terminée.")
}

func doingOr(phase domain.Phase) [2]string {
	if words, known := doing[phase]; known {
		return words
	}
	return [2]string{"It is about to go on.", "Elle va continuer."}
}

// slot says who has the slot, and how many come first.
func (s speech) slot(w *domain.Waits) string {
	text := s.say("It waits for the slot, which is free.", "Elle attend le créneau, qui est libre.")
	if h := w.Holder; h != nil {
		text = s.say("It waits for the slot, which %s holds (%s, %s).",
			"Elle attend le créneau, que tient %s (%s, %s).", s.name(h), h.ID, h.Phase)
	}
	switch {
	case w.Preempting:
		text += " " + s.say("An action that runs is let finish first.", "Une action en cours se termine d’abord.")
	case w.Position > 0:
		text += " " + s.say("It is number %d in the queue.", "Elle est numéro %d dans la file.", w.Position)
	}
	if len(w.Ahead) > 0 {
		names := make([]string, 0, len(w.Ahead))
		for i := range w.Ahead {
			names = append(names, s.name(&w.Ahead[i])+" ("+w.Ahead[i].ID+")")
		}
		text += " " + s.say("Before it: %s.", "Avant elle : %s.", strings.Join(names, ", "))
	}
	return text
}

func (s speech) name(n *domain.SessionName) string {
	if n.Name == "" {
		return s.say("a session without a name", "une session sans nom")
	}
	return s.quote(n.Name)
}

// goesOn says what makes the session go on.
func (s speech) goesOn(e *domain.Explanation, until string) string {
	switch e.UnblockedBy {
	case domain.ByAnswer:
		if until != "" {
			return s.say("It goes on with the answer; without one it counts as a no at %s.",
				"Elle continue avec la réponse ; sans réponse, ce sera non à %s.", until)
		}
		return s.say("It goes on with the answer.", "Elle continue avec la réponse.")
	case domain.ByMessage:
		return s.say("It goes on with a message.", "Elle continue avec un message.")
	case domain.ByResume:
		return s.say("Resume brings it back.", "La reprise la fait revenir.")
	case domain.BySlot:
		if until != "" && e.Waits.Holder != nil && e.Waits.LastError == "" {
			return s.say("It goes on in its turn; a chat that stays inactive gives the slot up at %s.",
				"Elle continue à son tour ; un chat inactif rend le créneau à %s.", until)
		}
		return s.say("It goes on by itself in its turn.", "Elle continue d’elle-même à son tour.")
	case domain.ByTimer:
		if until != "" {
			return s.say("It goes on by itself at %s.", "Elle continue d’elle-même à %s.", until)
		}
		return s.say("It goes on by itself.", "Elle continue d’elle-même.")
	case domain.ByResult:
		return s.say("It goes on when the last result has come.", "Elle continue quand le dernier résultat est arrivé.")
	}
	return ""
}

// orNone keeps a sentence whole where something is not known.
func orNone(text string) string {
	if text == "" {
		return "?"
	}
	return text
}
