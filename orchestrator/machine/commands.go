package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// plan writes the executions of an answer in the journal.
func (t *turn) plan(list []*domain.Execution) {
	st := &t.s.State
	for i, given := range list {
		own := *given
		x := &own
		if x.ID == "" {
			x.ID = t.newID(domain.PrefixExecution)
		}
		x.WorkspaceID, x.SessionID, x.RoundID, x.MessageID = t.s.WorkspaceID, t.s.ID, st.RoundID, st.AnswerID
		if x.CreatedAt.IsZero() {
			x.CreatedAt = t.p.Now
		}
		if x.Status == "" {
			x.Status = domain.ExecPlanned
		}
		if x.Position == 0 {
			x.Position = i
		}
		t.planned = append(t.planned, x)
		t.write(x)
		if x.Status.Final() {
			t.commandEvent(domain.LogCommandEnded, x)
		} else {
			t.commandEvent(domain.LogCommandPlanned, x)
		}
	}
}

// write puts an execution into the change once, in its latest form.
func (t *turn) write(x *domain.Execution) {
	own := *x
	for i, there := range t.c.Executions {
		if there.ID == x.ID {
			t.c.Executions[i] = &own
			return
		}
	}
	t.c.Executions = append(t.c.Executions, &own)
}

// commandEvent tells of an execution as it is at this moment.
func (t *turn) commandEvent(kind domain.LogType, x *domain.Execution) {
	own := *x
	t.emit(domain.LogEvent{Type: kind, Execution: &own})
}

// commandEnded writes an outcome that was reported, and tells of it.
func (t *turn) commandEnded(given *domain.Execution) *domain.Execution {
	own := *given
	x := &own
	x.WorkspaceID, x.SessionID = t.s.WorkspaceID, t.s.ID
	if x.RoundID == "" {
		x.RoundID = t.s.State.RoundID
	}
	was := t.plannedByID(x.ID)
	t.write(x)
	if was != nil && was.Status.Final() && x.StartedAt == nil {
		return x // it never ran: told when it was planned
	}
	if x.StartedAt != nil && (was == nil || was.Status != domain.ExecStarted) {
		started := *x
		started.Status, started.Result, started.Text, started.Error, started.EndedAt = domain.ExecStarted, nil, "", nil, nil
		t.commandEvent(domain.LogCommandStarted, &started)
	}
	t.commandEvent(domain.LogCommandEnded, x)
	if was != nil {
		*was = *x
	}
	return x
}

func (t *turn) plannedByID(id string) *domain.Execution {
	for _, x := range t.planned {
		if x.ID == id {
			return x
		}
	}
	return nil
}

func (t *turn) anyToRun(kind domain.CommandKind) bool {
	return slices.ContainsFunc(t.planned, func(x *domain.Execution) bool {
		return x.Kind == kind && !x.Status.Final()
	})
}

// cancelPlanned ends what was planned and has not begun; what runs already reports
// its own outcome later.
func (t *turn) cancelPlanned(note string) {
	for _, x := range t.planned {
		if x.Status == domain.ExecPlanned || x.Status == domain.ExecApproved {
			t.cancelOne(x, note)
		}
	}
}

func (t *turn) cancelOne(x *domain.Execution, note string) {
	now := t.p.Now
	x.Status, x.Note, x.EndedAt = domain.ExecCancelled, note, &now
	t.write(x)
	t.commandEvent(domain.LogCommandEnded, x)
}

// planQueries plans what is read. Actions beside them are planned with it, and again
// once the data is there.
func planQueries(t *turn) {
	e, st := parsed(t), &t.s.State
	t.plan(e.Commands.Queries)
	if len(e.Commands.Actions) > 0 {
		t.plan(afterFailure(e.Commands.Actions))
		pending := t.pending()
		for _, x := range e.Commands.Actions {
			pending.Actions = append(pending.Actions, domain.CommandResult{
				CallID: x.CallID, Command: x.Command, Status: domain.ExecCancelled, Text: "Not run.",
			})
		}
		st.Pending, st.PendingActions = &pending, true
	}
	if !t.anyToRun(domain.KindQuery) {
		// Nothing can run: they were all answered while they were planned.
		var actions []*domain.Execution
		for _, x := range t.planned {
			if x.Kind == domain.KindAction {
				actions = append(actions, x)
			}
		}
		t.follow(domain.DataQueriesExecuted{Actions: domain.PlannedCommands{
			Actions: actions, Reasons: e.Commands.Reasons, Cards: e.Commands.Cards,
		}})
	}
}

// afterFailure cancels what stands behind an action that failed before it could run,
// as the failure would have done in its turn.
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

// commandsToPlan are the actions that the event brings.
func (t *turn) commandsToPlan() domain.PlannedCommands {
	switch e := t.event.(type) {
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
func planActions(t *turn) {
	brought := t.commandsToPlan()
	list := afterFailure(brought.Actions)
	t.replan(list)
	pending := t.pending()
	if t.s.State.PendingActions {
		pending.Results = append(slices.Clone(pending.Results), t.refusedResults(brought.Refused)...)
		for _, call := range pending.Actions {
			if !slices.ContainsFunc(list, func(x *domain.Execution) bool { return x.CallID == call.CallID }) {
				pending.Results = append(pending.Results, call)
			}
		}
	}
	pending.Actions = nil
	t.s.State.Pending, t.s.State.PendingActions = &pending, false
	t.goneBeyond(brought.OverLimit)
	if !t.anyToRun(domain.KindAction) {
		t.follow(domain.ActionsExecuted{})
	}
}

// replan writes actions anew: one that is known is taken as it is now, one that is
// not planned any more is cancelled and leaves its call to the new one.
func (t *turn) replan(list []*domain.Execution) {
	var fresh []*domain.Execution
	for _, x := range list {
		old := t.plannedByID(x.ID)
		switch {
		case old == nil || x.ID == "":
			fresh = append(fresh, x)
		case old.Status.Final():
		case x.Status.Final():
			*old = *t.commandEnded(x)
		default:
			old.Params, old.Digest, old.CommandID, old.GrantID = x.Params, x.Digest, x.CommandID, x.GrantID
			t.write(old)
		}
	}
	pending := t.pending()
	pending.Replaced = slices.Clone(pending.Replaced)
	t.planned = slices.DeleteFunc(t.planned, func(x *domain.Execution) bool {
		if x.Kind != domain.KindAction || slices.ContainsFunc(list, func(y *domain.Execution) bool { return y.ID == x.ID }) {
			return false
		}
		if !x.Status.Final() {
			t.cancelOne(x, "Planned again with the data as it is now.")
		}
		pending.Replaced = append(pending.Replaced, x.ID)
		return true
	})
	t.s.State.Pending = &pending
	t.plan(fresh)
}

// results of one kind: those that the event brings, those that were answered while
// they were planned, and those that never run. Each call once.
func (t *turn) results(kind domain.CommandKind, brought []*domain.Execution) []domain.CommandResult {
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
	for _, call := range t.pending().Told {
		seen[call] = true
	}
	ended := map[string]*domain.Execution{}
	for _, x := range brought {
		ended[x.ID] = t.commandEnded(x)
	}
	for _, x := range t.planned {
		if x.Kind == kind {
			if !x.Status.Final() {
				t.cancelOne(x, "Not run.")
			}
			add(domain.ResultOf(x, ""))
			delete(ended, x.ID)
		}
	}
	for _, x := range brought {
		if own := ended[x.ID]; own != nil {
			add(domain.ResultOf(own, ""))
		}
	}
	for _, r := range t.pending().Results {
		add(r)
	}
	return list
}

// countCommands counts what really ran against the session's limit.
func (t *turn) countCommands(brought []*domain.Execution) {
	t.s.State.CommandsRun += ran(brought)
}

// storeData stores what was read, in one message.
func storeData(t *turn) {
	e, st := t.event.(domain.DataQueriesExecuted), &t.s.State
	if st.PendingActions && len(e.Actions.Actions) == 0 {
		t.replan(nil)
		pending := t.pending()
		pending.Results = append(append(slices.Clone(pending.Results), t.refusedResults(e.Actions.Refused)...), pending.Actions...)
		st.Pending, st.PendingActions = &pending, false
	}
	t.countCommands(e.Executions)
	results := t.results(domain.KindQuery, e.Executions)
	t.system(domain.SystemDataAdded, counted(results), results, withUnformatted(e.Formatted, results, e.Executions))
	st.ConsecutiveDataQueries++
	st.ConsecutiveActionRetries = 0
	st.NextReason = domain.ReasonDataResponse
	t.noteFailures(results)
	t.noteCalls(domain.KindQuery, e.Executions)
	t.afterSeries(results)
}

// afterSeries gives the guidance, and closes the answer unless its actions follow.
func (t *turn) afterSeries(results []domain.CommandResult) {
	pending := t.pending()
	if pending.Guidance != "" {
		t.system(domain.SystemGuidance, pending.Guidance, nil, "")
	}
	if !t.s.State.PendingActions {
		t.closeAnswer()
		return
	}
	pending.Guidance, pending.Results = "", nil
	pending.Told = slices.Clone(pending.Told)
	for _, r := range results {
		if r.CallID != "" {
			pending.Told = append(pending.Told, r.CallID)
		}
	}
	t.s.State.Pending = &pending
}

// storeActions stores what was done, and what the AI wanted to say after it.
func storeActions(t *turn) {
	e, st := t.event.(domain.ActionsExecuted), &t.s.State
	pending := t.pending()
	t.storeSeries(e.Executions, e.Formatted, e.Changes)
	st.ConsecutiveDataQueries, st.ConsecutiveActionRetries, st.ConsecutiveFormatErrors = 0, 0, 0
	if pending.PostText != "" {
		t.place(&domain.Message{Sender: domain.SenderAI, Text: pending.PostText, ExcludeFromPrompt: true})
	}
	t.personSaid(pending.Comment, domain.Author{ID: pending.By, Name: pending.ByName, Role: pending.ByRole}, "")
}

// storeFailure stores how far the actions came. The post text is not said: it was
// meant for a success.
func storeFailure(t *turn) {
	st, pending := &t.s.State, t.pending()
	switch e := t.event.(type) {
	case domain.ActionFailureOccurred:
		t.storeSeries(e.Executions, e.Formatted, e.Changes)
	case domain.ActionsExecuted:
		t.storeSeries(e.Executions, e.Formatted, e.Changes)
	}
	st.ConsecutiveActionRetries++
	st.ConsecutiveDataQueries = 0
	st.PendingCompleted = false
	t.personSaid(pending.Comment, domain.Author{ID: pending.By, Name: pending.ByName, Role: pending.ByRole}, "")
}

func (t *turn) storeSeries(brought []*domain.Execution, formatted string, changes []domain.DataChange) {
	t.countCommands(brought)
	results := t.results(domain.KindAction, brought)
	for i := range changes {
		own := changes[i]
		t.emit(domain.LogEvent{Type: domain.LogDataChanged, Change: &own})
	}
	t.system(domain.SystemActionsExecuted, counted(results), results, withUnformatted(formatted, results, brought))
	for _, x := range brought {
		if x.Status == domain.ExecUnknown {
			t.askOutcome(x)
		}
	}
	t.s.State.NextReason = domain.ReasonActionResult
	t.noteFailures(results)
	t.noteCalls(domain.KindAction, brought)
	t.afterSeries(results)
}

// noteFailures: results of which one failed are not good. What was cancelled did not fail.
func (t *turn) noteFailures(results []domain.CommandResult) {
	for _, r := range results {
		if r.Status == domain.ExecFailed || r.Status == domain.ExecUnknown {
			t.s.State.ResultsGood = false
		}
	}
}

// counted says in a few words how a series of commands went; control calls have no
// execution and do not count.
func counted(results []domain.CommandResult) string {
	order := []domain.ExecutionStatus{
		domain.ExecSuccess, domain.ExecCached, domain.ExecPending, domain.ExecFailed, domain.ExecUnknown, domain.ExecCancelled,
	}
	words := map[domain.ExecutionStatus]string{
		domain.ExecSuccess: "done", domain.ExecCached: "answered from before", domain.ExecPending: "under way",
		domain.ExecFailed: "failed", domain.ExecUnknown: "with an unknown outcome", domain.ExecCancelled: "not run",
	}
	var parts []string
	for _, status := range order {
		n := 0
		for _, r := range results {
			if r.Status == status && r.ExecutionID != "" {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[status]))
		}
	}
	if len(parts) == 0 {
		return "Nothing was run."
	}
	return strings.Join(parts, ", ") + "."
}

// withUnformatted adds the results that the series' own text cannot know of.
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
