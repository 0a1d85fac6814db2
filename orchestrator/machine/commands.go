package machine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// planQueries plans the queries. Actions beside them are planned with them, and again once the data was
// read.
func planQueries(s *step) {
	e, st := parsed(s), &s.session.State
	s.plan(e.Commands.Queries)
	if len(e.Commands.Actions) > 0 {
		s.plan(afterFailure(e.Commands.Actions))
		pending := s.pending()
		for _, x := range e.Commands.Actions {
			pending.Actions = append(pending.Actions, domain.CommandResult{
				CallID: x.CallID, Command: x.Command, Status: domain.ExecCancelled, Text: "Not run.",
			})
		}
		pending.AIAsked = e.Commands.AIAsked
		st.Pending, st.PendingActions = &pending, true
	}
	if !s.anyToRun(domain.KindQuery) {
		// Nothing can run: they were all answered while they were planned.
		var actions []*domain.Execution
		for _, x := range s.planned {
			if x.Kind == domain.KindAction {
				actions = append(actions, x)
			}
		}
		s.follow(domain.DataQueriesExecuted{Actions: domain.PlannedCommands{
			Actions: actions, Reasons: e.Commands.Reasons, Cards: e.Commands.Cards,
		}})
	}
}

// afterFailure cancels the actions after one that failed before it could run, like a failure at run time.
func afterFailure(actions []*domain.Execution) []*domain.Execution {
	var list []*domain.Execution
	failed := false
	for _, given := range actions {
		own := *given
		if failed && !own.Status.Final() {
			own.Status, own.Note = domain.ExecCancelled, "An earlier action failed."
		}
		failed = failed || own.Status == domain.ExecFailed
		list = append(list, &own)
	}
	return list
}

// commandsToPlan are the event's actions.
func commandsToPlan(s *step) domain.PlannedCommands {
	switch e := s.event.(type) {
	case domain.AIResponseParsed:
		return e.Commands
	case domain.DataQueriesExecuted:
		return e.Actions
	case domain.ApprovalStale:
		return e.Commands
	}
	return domain.PlannedCommands{}
}

// planActions plans the actions of an answer, or takes them up as they are planned
// afresh after the queries.
func planActions(s *step) {
	brought := commandsToPlan(s)
	list := afterFailure(brought.Actions)
	replan(s, list)
	pending := s.pending()
	if s.session.State.PendingActions {
		pending.Results = append(slices.Clone(pending.Results), refusedResults(s, brought.Refused)...)
		for _, call := range pending.Actions {
			if !slices.ContainsFunc(list, func(x *domain.Execution) bool { return x.CallID == call.CallID }) {
				pending.Results = append(pending.Results, call)
			}
		}
	}
	pending.Actions = nil
	s.session.State.Pending, s.session.State.PendingActions = &pending, false
	goneBeyond(s, brought.OverLimit)
	if !s.anyToRun(domain.KindAction) {
		s.follow(domain.ActionsExecuted{})
	}
}

// replan writes actions again: a known one is updated; one that is not planned any more is cancelled and
// leaves its call to the new one.
func replan(s *step, list []*domain.Execution) {
	var fresh []*domain.Execution
	for _, x := range list {
		old := s.plannedByID(x.ID)
		switch {
		case old == nil || x.ID == "":
			fresh = append(fresh, x)
		case old.Status.Final():
		case x.Status.Final():
			*old = *s.commandEnded(x)
		default:
			old.Params, old.Digest, old.CommandID, old.GrantID = x.Params, x.Digest, x.CommandID, x.GrantID
			old.Foreign = cmp.Or(x.Foreign, old.Foreign)
			s.write(old)
		}
	}
	pending := s.pending()
	pending.Replaced = slices.Clone(pending.Replaced)
	s.planned = slices.DeleteFunc(s.planned, func(x *domain.Execution) bool {
		if x.Kind != domain.KindAction || slices.ContainsFunc(list, func(y *domain.Execution) bool { return y.ID == x.ID }) {
			return false
		}
		if !x.Status.Final() {
			s.cancelOne(x, "Planned again with the data as it is now.")
		}
		pending.Replaced = append(pending.Replaced, x.ID)
		return true
	})
	s.session.State.Pending = &pending
	s.plan(fresh)
}

// seriesResults are the results of one kind: the event's, those that were known at planning, and those of
// commands that never run. Each call once.
func seriesResults(s *step, kind domain.CommandKind, brought []*domain.Execution) []domain.CommandResult {
	var list []domain.CommandResult
	seen := map[string]bool{}
	add := func(r domain.CommandResult) {
		for _, key := range []string{r.ExecutionID, r.CallID} {
			if key != "" && seen[key] {
				return
			}
		}
		seen[r.ExecutionID], seen[r.CallID] = true, true
		list = append(list, r)
	}
	for _, call := range s.pending().Reported {
		seen[call] = true
	}
	ended := map[string]*domain.Execution{}
	for _, x := range brought {
		ended[x.ID] = s.commandEnded(x)
	}
	for _, x := range s.planned {
		if x.Kind == kind {
			if !x.Status.Final() {
				s.cancelOne(x, "Not run.")
			}
			add(domain.ResultOf(x, s.language()))
			delete(ended, x.ID)
		}
	}
	for _, x := range brought {
		if own := ended[x.ID]; own != nil {
			add(domain.ResultOf(own, s.language()))
		}
	}
	for _, r := range s.pending().Results {
		add(r)
	}
	return list
}

// countCommands counts what really ran against the session's limit.
func countCommands(s *step, brought []*domain.Execution) {
	s.session.State.CommandsRun += ran(brought)
}

// storeData stores what was read, in one message.
func storeData(s *step) {
	e, st := s.event.(domain.DataQueriesExecuted), &s.session.State
	if st.PendingActions && len(e.Actions.Actions) == 0 {
		replan(s, nil)
		pending := s.pending()
		pending.Results = append(append(slices.Clone(pending.Results), refusedResults(s, e.Actions.Refused)...), pending.Actions...)
		st.Pending, st.PendingActions = &pending, false
	}
	countCommands(s, e.Executions)
	cancelTasks(s, e.CancelTasks)
	st.AddedCommands = withNames(st.AddedCommands, e.AddedCommands)
	results := seriesResults(s, domain.KindQuery, e.Executions)
	s.system(domain.SystemDataAdded, domain.Counted(results).EN, results, withUnformatted(e.Formatted, results, e.Executions))
	st.ConsecutiveDataQueries++
	st.ConsecutiveActionRetries = 0
	st.NextReason = domain.ReasonDataResponse
	noteFailures(s, results)
	noteCalls(s, domain.KindQuery, e.Executions)
	afterSeries(s, results)
}

// withNames is a list with further names, each once, in the order in which they came.
func withNames(list, names []string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(slices.Clone(list), name)
		}
	}
	return list
}

// afterSeries adds the guidance, and closes the answer unless its actions follow.
func afterSeries(s *step, results []domain.CommandResult) {
	pending := s.pending()
	if pending.Guidance != "" {
		s.system(domain.SystemGuidance, pending.Guidance, nil, "")
	}
	if !s.session.State.PendingActions {
		s.closeAnswer()
		return
	}
	pending.Guidance, pending.Results = "", nil
	pending.Reported = slices.Clone(pending.Reported)
	for _, r := range results {
		if r.CallID != "" {
			pending.Reported = append(pending.Reported, r.CallID)
		}
	}
	s.session.State.Pending = &pending
}

// storeActions stores the results, and the AI's text for after them.
func storeActions(s *step) {
	e, st := s.event.(domain.ActionsExecuted), &s.session.State
	pending := s.pending()
	storeSeries(s, e.Executions, e.Changes)
	st.ConsecutiveDataQueries, st.ConsecutiveActionRetries, st.ConsecutiveFormatErrors = 0, 0, 0
	if pending.PostText != "" {
		s.place(&domain.Message{Sender: domain.SenderAI, Text: pending.PostText, ExcludeFromPrompt: true})
	}
	s.personSaid(pending.Comment, domain.Author{ID: pending.By, Name: pending.ByName, Role: pending.ByRole}, "")
}

// storeFailure stores how far the actions came. The post text is not said: it was
// meant for a success.
func storeFailure(s *step) {
	st, pending := &s.session.State, s.pending()
	switch e := s.event.(type) {
	case domain.ActionFailureOccurred:
		storeSeries(s, e.Executions, e.Changes)
	case domain.ActionsExecuted:
		storeSeries(s, e.Executions, e.Changes)
	}
	st.ConsecutiveActionRetries++
	st.ConsecutiveDataQueries = 0
	st.PendingCompleted = false
	s.personSaid(pending.Comment, domain.Author{ID: pending.By, Name: pending.ByName, Role: pending.ByRole}, "")
}

func storeSeries(s *step, brought []*domain.Execution, changes []domain.DataChange) {
	countCommands(s, brought)
	results := seriesResults(s, domain.KindAction, brought)
	for i := range changes {
		own := changes[i]
		s.emit(domain.LogEvent{Type: domain.LogDataChanged, Change: &own})
	}
	s.system(domain.SystemActionsExecuted, domain.Counted(results).EN, results, "") // formatted data belongs to queries
	for _, x := range brought {
		if x.Status == domain.ExecUnknown {
			askOutcome(s, x)
		}
	}
	s.session.State.NextReason = domain.ReasonActionResult
	noteFailures(s, results)
	noteCalls(s, domain.KindAction, brought)
	afterSeries(s, results)
}

// noteFailures: results of which one failed are not good. What was cancelled did not fail.
func noteFailures(s *step, results []domain.CommandResult) {
	for _, r := range results {
		if r.Status == domain.ExecFailed || r.Status == domain.ExecUnknown {
			s.session.State.ResultsGood = false
		}
	}
}

// withUnformatted adds the results that are missing in the series' own text.
func withUnformatted(formatted string, results []domain.CommandResult, brought []*domain.Execution) string {
	var b strings.Builder
	b.WriteString(formatted)
	for _, r := range results {
		if slices.ContainsFunc(brought, func(x *domain.Execution) bool { return x.ID == r.ExecutionID && x.ID != "" }) && formatted != "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(r.Command + ": " + string(r.Status))
		for _, text := range []string{r.Text, errorText(r.Error), r.Note} {
			if text != "" {
				b.WriteString(": " + text)
				break
			}
		}
	}
	return b.String()
}

func errorText(e *domain.CommandError) string {
	if e == nil {
		return ""
	}
	return e.Message
}
