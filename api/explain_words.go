package api

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/explain"
)

// doing says what a session that works is doing.
var doing = map[domain.Phase][2]string{
	domain.ExecutingEnrichments:       {"Reading the data that the message refers to.", "Lecture des données citées par le message."},
	domain.CompactingContext:          {"Summarising older messages to make room.", "Résumé des anciens messages pour faire de la place."},
	domain.CallingAI:                  {"Waiting for the AI’s answer.", "En attente de la réponse de l’IA."},
	domain.ParsingAIResponse:          {"Reading the AI’s answer.", "Lecture de la réponse de l’IA."},
	domain.ExecutingDataQueries:       {"Looking up the data that the AI asked for.", "Lecture des données demandées par l’IA."},
	domain.ExecutingActions:           {"Making the changes.", "Modification en cours."},
	domain.RetryingAfterFormatError:   {"Asking the AI again: its answer couldn’t be read.", "Nouvelle demande à l’IA : sa réponse était illisible."},
	domain.RetryingAfterActionFailure: {"Retrying after a failed action.", "Nouvel essai après un échec."},
	domain.AwaitingSessionClosure:     {"Finished, closing.", "Travail terminé, clôture en cours."},
}

// ended says how a session ended.
var ended = map[domain.EndReason][2]string{
	domain.EndCompleted:    {"Done.", "Terminé."},
	domain.EndLimitReached: {"Stopped at a limit.", "Arrêt : limite atteinte."},
	domain.EndError:        {"Failed with an error.", "Échec : une erreur est survenue."},
	domain.EndTimeout:      {"Stopped: it took too long.", "Arrêt : durée dépassée."},
	domain.EndCancelled:    {"Stopped by someone.", "Arrêt demandé."},
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
func explained(e *explain.Explanation, settings *domain.Settings) string {
	s, clock := speechIn(settings.Language), spokenClock(settings, e.Since)
	until := ""
	if e.Waits.Until != nil {
		until = clock(*e.Waits.Until)
	}
	sentences := []string{s.waiting(e, until)}
	if e.Waits.LastError != "" && e.Waits.Kind != domain.ForProvider {
		sentences = append(sentences, s.say("The AI provider couldn’t be reached at the last try.",
			"Le fournisseur d’IA était injoignable au dernier essai."))
	}
	for i := range e.Waits.Agents {
		a := &e.Waits.Agents[i]
		sentences = append(sentences, s.say("Its agent %s: %s", "Son agent %s : %s", s.name(a), s.agent(a)))
	}
	if more := s.goesOn(e, until); more != "" {
		sentences = append(sentences, more)
	}
	return strings.Join(sentences, " ")
}

// waiting is the first sentence.
func (s speech) waiting(e *explain.Explanation, until string) string {
	w := &e.Waits
	switch w.Kind {
	case domain.ForSlot:
		return s.slot(w)
	case domain.ForApproval:
		return s.say("Waiting for your approval.", "En attente de votre accord.")
	case domain.ForSignIn:
		return s.say("A connector needs someone to sign in.", "Un connecteur attend que quelqu’un se connecte.")
	case domain.ForQuestion:
		return s.say("Waiting for your answer to a question.", "En attente de votre réponse à une question.")
	case domain.ForClient:
		return s.say("Waiting for the program that sent the message: it runs tools of its own.",
			"En attente du programme qui a envoyé le message : il exécute ses propres outils.")
	case domain.ForBudget:
		name, known := budgets[w.Limit]
		if !known {
			return s.say("A budget is used up.", "Un budget est épuisé.")
		}
		return s.say("A budget is used up: %s.", "Un budget est épuisé : %s.", s.pick(name))
	case domain.ForCompletion:
		if e.UnblockedBy == explain.ByAnswer {
			return s.say("It says the work is done. Please confirm.", "Le travail est annoncé terminé. Confirmez-le.")
		}
		return s.say("It says the work is done.", "Le travail est annoncé terminé.")
	case domain.ForProvider:
		return s.say("The AI provider can’t be reached (try %d).", "Le fournisseur d’IA est injoignable (essai %d).", w.Attempt)
	case domain.ForTask:
		return s.tasks(w)
	case domain.ForSchedule:
		if w.Deaths > 0 {
			return s.say("The server crashed %s at this step. Retrying at %s.",
				"Le serveur est tombé %s à cette étape. Nouvel essai à %s.", s.pick(timesInARow(w.Deaths)), until)
		}
		return s.say("Starts at %s.", "Démarre à %s.", until)
	case domain.ForPerson:
		if e.UnblockedBy == explain.ByResume {
			return s.say("The server crashed four times in a row at this step, so this was set apart.",
				"Le serveur est tombé quatre fois de suite à cette étape : mise à l’écart.")
		}
		return s.say("Idle.", "Inactive.")
	case domain.ForItself:
		if e.Session.State.CallAside {
			return s.say("Finishing its answer; it needs the slot again only to act.",
				"Termine sa réponse ; il ne lui faudra de nouveau la place que pour agir.")
		}
		return s.pick(doingOr(e.Session.Phase))
	default:
		return s.nothing(e.Session)
	}
}

// tasks says which work outside it waits for, and that one of them asks something.
func (s speech) tasks(w *explain.Waits) string {
	text := s.say("Waiting for an external result.", "En attente d’un résultat externe.")
	if w.ApprovalID != "" {
		text += " " + s.say("The service has a question for you first.",
			"Le service a d’abord une question pour vous.")
	}
	return text
}

// agent says what an agent of the session is doing.
func (s speech) agent(a *explain.SessionName) string {
	if a.Phase == domain.WaitingNetworkRetry {
		return s.say("the AI provider can’t be reached, retrying.", "fournisseur d’IA injoignable, nouvel essai.")
	}
	if _, works := doing[a.Phase]; !works {
		return s.say("waiting for a person.", "en attente de quelqu’un.")
	}
	words := []rune(s.pick(doing[a.Phase]))
	words[0] = unicode.ToLower(words[0])
	return string(words)
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
		return s.say("The template of an automation. It never runs itself.",
			"Modèle d’une automatisation. Il ne s’exécute jamais lui-même.")
	}
	return s.say("Ended.", "Fin.")
}

func doingOr(phase domain.Phase) [2]string {
	if words, known := doing[phase]; known {
		return words
	}
	return [2]string{"About to continue.", "Reprise imminente."}
}

// slot names the session that holds the slot, and the number of sessions ahead in the queue.
func (s speech) slot(w *explain.Waits) string {
	text := s.say("Waiting to start.", "En attente de démarrage.")
	if h := w.Holder; h != nil {
		text = s.holder(h)
	}
	switch {
	case w.Preempting:
		text += " " + s.say("The running action finishes first.", "L’action en cours se termine d’abord.")
	case w.Position > 1 && len(w.Ahead) > 0:
		names := make([]string, 0, len(w.Ahead))
		for i := range w.Ahead {
			names = append(names, s.name(&w.Ahead[i]))
		}
		text += " " + s.say("Number %d in the queue, behind %s.", "Numéro %d dans la file, derrière %s.",
			w.Position, strings.Join(names, ", "))
	case w.Position > 0:
		text += " " + s.say("Number %d in the queue.", "Numéro %d dans la file.", w.Position)
	}
	return text
}

// holder says who has the slot, and what that one waits for, where a person can do something.
func (s speech) holder(h *explain.SessionName) string {
	name := s.name(h)
	switch h.Phase {
	case domain.WaitingValidation:
		return s.say("Waiting for %s, which needs an approval.", "Attend %s, en attente d’un accord.", name)
	case domain.WaitingCommunicationResponse:
		return s.say("Waiting for %s, which has a question.", "Attend %s, qui a une question.", name)
	case domain.WaitingBudget:
		return s.say("Waiting for %s, whose budget is used up.", "Attend %s, dont le budget est épuisé.", name)
	case domain.Idle:
		return s.say("Waiting for %s, which is idle.", "Attend %s, inactive.", name)
	default:
		return s.say("Waiting for %s to finish.", "Attend la fin de %s.", name)
	}
}

func (s speech) name(n *explain.SessionName) string {
	if n.Name == "" {
		return s.say("an untitled chat", "une conversation sans nom")
	}
	return s.quote(n.Name)
}

// goesOn says what makes the session go on.
func (s speech) goesOn(e *explain.Explanation, until string) string {
	switch e.UnblockedBy {
	case explain.ByAnswer:
		if until != "" {
			return s.say("No answer by %s counts as refused.", "Sans réponse à %s, ce sera un refus.", until)
		}
		return s.say("It continues once you answer.", "Reprise dès votre réponse.")
	case explain.ByMessage:
		return s.say("It continues with a message.", "Reprise au prochain message.")
	case explain.ByResume:
		return s.say("Resume to continue.", "Reprenez pour continuer.")
	case explain.BySlot:
		if until != "" && e.Waits.Holder != nil && e.Waits.LastError == "" {
			return s.say("Starts in its turn, at %s if that chat stays idle.",
				"Démarrage à son tour, à %s si cette conversation reste inactive.", until)
		}
		return s.say("It continues in its turn.", "Reprise automatique à son tour.")
	case explain.ByTimer:
		if until != "" {
			return s.say("It continues by itself at %s.", "Reprise automatique à %s.", until)
		}
		return s.say("It continues by itself.", "Reprise automatique.")
	case explain.ByResult:
		return s.say("It continues when the last result arrives.", "Reprise à l’arrivée du dernier résultat.")
	}
	return ""
}
