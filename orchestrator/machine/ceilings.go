package machine

import (
	"github.com/fermata-dev/fermata/domain"
)

// codeLimit is the error of a command that a limit kept from running.
const codeLimit = "limit_reached"

// withinLimits cuts the event's commands beyond a limit: they do not run, and their results have the
// reason. The first ones run.
func withinLimits(s *step, e domain.Event) domain.Event {
	max := s.limits().MaxCommandsPerSession
	switch e := e.(type) {
	case domain.AIResponseParsed:
		c := &e.Commands
		cutReadings(s, c)
		if max != nil {
			left := *max - s.session.State.CommandsRun
			c.Queries, left = cutBeyond(s, c, c.Queries, left, *max)
			c.Actions, _ = cutBeyond(s, c, c.Actions, left, *max)
		}
		c.Cards = cardsOfOpen(c)
		return e
	case domain.DataQueriesExecuted:
		if max != nil {
			left := *max - s.session.State.CommandsRun - ran(e.Executions)
			e.Actions.Actions, _ = cutBeyond(s, &e.Actions, e.Actions.Actions, left, *max)
			e.Actions.Cards = cardsOfOpen(&e.Actions)
		}
		return e
	}
	return e
}

// cutReadings keeps one more reading in a row than is allowed from being made. It is
// counted all the same, so that the round ends on the way to the AI.
func cutReadings(s *step, c *domain.PlannedCommands) {
	max := s.limits().MaxDataQueryIterations
	if max == nil || s.session.State.ConsecutiveDataQueries < *max {
		return
	}
	c.Queries, _ = cutAfter(s, c.Queries, 0, limitText("max_data_query_iterations", *max))
}

// cutBeyond lets so many commands run, and notes where there were more.
func cutBeyond(s *step, c *domain.PlannedCommands, list []*domain.Execution, left, max int) ([]*domain.Execution, int) {
	kept, after := cutAfter(s, list, left, limitText("max_commands_per_session", max))
	for i := range list {
		if kept[i] != list[i] {
			c.OverLimit = "max_commands_per_session"
		}
	}
	return kept, after
}

// cutAfter cancels, on copies, the commands after the first left ones that would run. It returns how many
// more may run.
func cutAfter(s *step, list []*domain.Execution, left int, why domain.Text) ([]*domain.Execution, int) {
	var kept []*domain.Execution
	for _, given := range list {
		x := given
		if !x.Status.Final() {
			if left--; left < 0 {
				own, now := *given, s.policy.Now
				x = &own
				x.Status, x.EndedAt = domain.ExecCancelled, &now
				x.Error = domain.ErrorOf(codeLimit, domain.Join(" ", domain.Say("Not run.", "Non exécuté."), why), s.language())
			}
		}
		kept = append(kept, x)
	}
	return kept, left
}

// cardsOfOpen are the cards of the actions that can still run: a person decides about nothing else.
func cardsOfOpen(c *domain.PlannedCommands) []domain.ApprovalAction {
	final := map[string]bool{}
	for _, x := range c.Actions {
		final[x.ID] = x.Status.Final()
	}
	var cards []domain.ApprovalAction
	for _, card := range c.Cards {
		if !final[card.ID] {
			cards = append(cards, card)
		}
	}
	return cards
}

// ran counts the executions that really ran.
func ran(list []*domain.Execution) int {
	n := 0
	for _, x := range list {
		if x.StartedAt != nil {
			n++
		}
	}
	return n
}

// goneBeyond notes that an answer exceeded a limit: its text for after the success is dropped, and the
// round ends on the way to the AI.
func goneBeyond(s *step, limit string) {
	if limit == "" {
		return
	}
	pending := s.pending()
	pending.BackToAI, pending.PostText = true, ""
	s.session.State.Pending = &pending
	s.session.State.OverLimit, s.session.State.PendingCompleted = limit, false
}

// whatIsLimited names what a limit counts, in English and in French.
var whatIsLimited = map[string][2]string{
	"max_autonomous_roundtrips": {"calls of the AI in a row", "appels à l’IA de suite"},
	"max_data_query_iterations": {"readings of data in a row", "lectures de données de suite"},
	"max_action_retries":        {"corrections of failed actions in a row", "corrections d’actions échouées de suite"},
	"max_format_error_retries":  {"corrections of unreadable answers in a row", "corrections de réponses illisibles de suite"},
	"max_commands_per_session":  {"commands in this session", "commandes dans cette session"},
}

// limitText is for the AI and for people: it is part of the record.
func limitText(name string, max int) domain.Text {
	what := whatIsLimited[name]
	return domain.Say("The limit of %[1]d %[2]s is reached.", "La limite de %[1]d %[3]s est atteinte.", max, what[0], what[1])
}
