package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// world keeps what the database would: one session with its record. It applies each
// change and fails the test when a thing that must hold in every state does not.
type world struct {
	t        failer
	s        *domain.Session
	now      time.Time
	settings domain.Settings
	ids      map[string]int
	seq      int64

	messages   []*domain.Message // placed, in order
	queued     []*domain.Message
	inbox      []*domain.InboxItem
	approvals  map[string]*domain.Approval
	opened     []string
	executions map[string]*domain.Execution
	order      []string
	ask        bool // AskCompletion
	reserve    int
	spent      domain.Spent
	wanted     bool // the slot was asked for
	held       bool // an answer is stored that waits for the slot
	replans    bool // the actions behind queries keep their executions
	// guarded are the actions with an effect outside that were asked for by a model which had
	// read words from there.
	guarded map[string]bool
	calling bool                // an effect that calls the AI was handed out and has not been reported
	agents  []*domain.AgentView // of the answer that is carried out
}

func newWorld(t failer, kind domain.SessionType) *world {
	w := &world{
		t: t, now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), settings: domain.DefaultSettings(),
		ids: map[string]int{}, approvals: map[string]*domain.Approval{}, executions: map[string]*domain.Execution{},
		guarded: map[string]bool{},
	}
	w.s = &domain.Session{
		ID: "ses_0", WorkspaceID: "default", Type: kind, Phase: domain.Idle, CreatedAt: w.now, LastEventTime: w.now,
		HoldsSlot: kind == domain.Chat || kind == domain.Run,
	}
	switch kind {
	case domain.Run:
		w.s.Phase = domain.ExecutingEnrichments
		w.s.State.RoundID, w.s.State.RoundCause = "rnd_0", domain.CauseSchedule
		w.s.State.NextReason = domain.RoundtripReason(domain.CauseSchedule)
	case domain.Agent:
		w.s.Phase = domain.CallingAI
		w.s.State.RoundID, w.s.ParentSessionID = "rnd_0", "ses_caller"
	}
	return w
}

func (w *world) id(prefix string) string {
	w.ids[prefix]++
	return fmt.Sprintf("%s_%d", prefix, w.ids[prefix])
}

func (w *world) policy() *domain.Policy {
	p := &domain.Policy{
		Now: w.now, NewID: w.id, Settings: w.settings, Inbox: slices.Clone(w.inbox),
		Estimate: domain.CallEstimate{MaxTokens: w.reserve}, Spent: w.spent,
	}
	for _, id := range w.opened {
		if a := w.approvals[id]; a.Status == domain.ApprovalStatusOpen {
			p.Open = append(p.Open, a)
		}
	}
	for _, id := range w.order {
		if x := w.executions[id]; x.MessageID == w.s.State.AnswerID && x.MessageID != "" {
			p.Planned = append(p.Planned, x)
		}
	}
	if w.s.KeepsAgents() {
		p.Agents = w.agents
	}
	if wait := w.s.State.Waiting; wait != nil {
		for _, m := range w.messages {
			if m.ID == wait.CancelMessageID {
				p.CancelMessage = m
			}
		}
	}
	return p
}

// do applies an event; a refusal changes nothing and is given back.
func (w *world) do(e domain.Event) (*domain.Step, error) {
	w.t.Helper()
	w.s.State.AskCompletion = w.ask
	p := w.policy()
	given, brought := freeze(w.s), freeze(p.Open, p.Planned, p.Inbox, p.CancelMessage)
	accepts := Accepts(w.s, e)
	step, err := Run(w.s, e, p)
	if got := freeze(w.s); got != given {
		w.t.Fatalf("%s changed the session it was given:\n%s\n%s", e.Name(), given, got)
	}
	if got := freeze(p.Open, p.Planned, p.Inbox, p.CancelMessage); got != brought {
		w.t.Fatalf("%s changed the policy it was given:\n%s\n%s", e.Name(), brought, got)
	}
	if (accepts == nil) != (err == nil) {
		w.t.Fatalf("%s in %s: Accepts says %v, Run says %v", e.Name(), w.s.Phase, accepts, err)
	}
	if err != nil {
		if domain.ErrorCode(err) == domain.CodeInternal {
			w.t.Fatalf("%s in %s: %v", e.Name(), w.s.Phase, err)
		}
		return nil, err
	}
	own := *step
	own.Change = w.store(e, step)
	w.check(e, &own)
	return step, nil
}

func freeze(values ...any) string {
	b, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// store writes a change as the repository does: numbers in the order of the events. It gives
// what the change says of the session itself.
func (w *world) store(e domain.Event, step *domain.Step) *domain.Change {
	w.t.Helper()
	c := w.withoutAgents(step)
	if len(c.Sessions) != 1 || c.Sessions[0].Session != step.Session {
		w.t.Fatalf("%s: a change writes its session once, has %d", e.Name(), len(c.Sessions))
	}
	waits := slices.Concat(c.Messages, c.PlacedMessages)
	for _, ev := range c.Events {
		w.seq++
		if m := ev.Message; m != nil && m.Status != domain.MessageQueued && slices.Contains(waits, m) && m.Seq == 0 {
			m.Seq = w.seq
			w.messages = append(w.messages, m)
		}
	}
	for _, m := range c.Messages {
		if m.Status == domain.MessageQueued {
			w.queued = append(w.queued, m)
		} else if m.Seq == 0 {
			w.t.Fatalf("%s: message %s was placed without its event", e.Name(), m.ID)
		}
	}
	for _, m := range c.PlacedMessages {
		n := len(w.queued)
		w.queued = slices.DeleteFunc(w.queued, func(x *domain.Message) bool { return x.ID == m.ID })
		if len(w.queued) != n-1 || m.Seq == 0 {
			w.t.Fatalf("%s: placed message %s was not waiting", e.Name(), m.ID)
		}
	}
	w.mark(c.MarkedMessages)
	for _, m := range c.DeletedMessages {
		n := len(w.messages)
		w.messages = slices.DeleteFunc(w.messages, func(x *domain.Message) bool { return x.ID == m.ID })
		if len(w.messages) != n-1 {
			w.t.Fatalf("%s: deleted message %s was not there", e.Name(), m.ID)
		}
	}
	w.checkOutside(e, step)
	for _, x := range c.Executions {
		if w.executions[x.ID] == nil {
			w.order = append(w.order, x.ID)
		}
		w.executions[x.ID] = x
	}
	for _, a := range c.Approvals {
		if w.approvals[a.ID] == nil {
			w.opened = append(w.opened, a.ID)
		}
		w.approvals[a.ID] = a
	}
	for _, held := range c.HeldAnswers {
		w.held = held.Answer != nil
	}
	w.inbox = append(w.inbox, c.Inbox...)
	for _, id := range c.InboxDone {
		n := len(w.inbox)
		w.inbox = slices.DeleteFunc(w.inbox, func(x *domain.InboxItem) bool { return x.ID == id })
		if len(w.inbox) != n-1 {
			w.t.Fatalf("%s: inbox item %s was not there", e.Name(), id)
		}
	}
	w.wanted = (w.wanted || step.AsksSlot) && !step.Session.HoldsSlot
	if step.Session.Phase == domain.Completed || step.Session.State.Poisoned {
		w.wanted = false // the scheduler takes it out of the queue
	}
	w.checkCounters(e, w.s, step.Session)
	w.checkCalls(e, step, c)
	w.s = step.Session
	return c
}

// grant gives the slot, as the scheduler does.
func (w *world) grant(recovery bool) (*domain.Step, error) {
	w.t.Helper()
	s := w.s.Clone()
	s.HoldsSlot, s.QueuedAt = s.HoldsSlot || s.Type != domain.Agent, nil
	w.s, w.wanted = s, false
	return w.do(domain.SessionActivationRequested{Recovery: recovery})
}

func (w *world) open() []*domain.Approval {
	var list []*domain.Approval
	for _, id := range w.opened {
		if a := w.approvals[id]; a.Status == domain.ApprovalStatusOpen {
			list = append(list, a)
		}
	}
	return list
}

// check is what holds in every state.
func (w *world) check(e domain.Event, step *domain.Step) {
	w.t.Helper()
	fail := func(format string, args ...any) {
		w.t.Helper()
		w.t.Fatalf("after %s in %s: %s\n%s", e.Name(), w.s.Phase, fmt.Sprintf(format, args...), freeze(w.s.State))
	}
	if step.Effect == domain.DoCallAI || step.Effect == domain.DoCompact {
		if problem := unpaired(w.messages); problem != "" {
			fail("the history cannot be sent: %s", problem)
		}
	}
	if problem := answeredTwice(w.messages); problem != "" {
		fail("%s", problem)
	}
	reads := w.s.State.CallAside && step.Effect == domain.DoParse
	if step.Effect != domain.DoNothing && (!w.s.Phase.Working() || !(w.s.HoldsSlot || w.s.Type == domain.Agent || reads)) {
		fail("effect %s without a working phase and the slot", step.Effect)
	}
	for _, a := range w.open() {
		switch {
		case w.s.Phase == domain.Completed:
			fail("open approval of kind %s on an ended session", a.Kind)
		case a.Kind == domain.ApprovalOutcome:
		case a.Kind == domain.ApprovalPoisoned:
			if !w.s.State.Poisoned {
				fail("it is asked whether to try again, but the session is not poisoned")
			}
		case w.s.State.Waiting == nil || w.s.State.Waiting.ApprovalID != a.ID:
			fail("open approval of kind %s that no session waits for", a.Kind)
		}
	}
	for _, m := range step.Change.Messages {
		if m.System != nil && m.System.Type == domain.SystemActionsExecuted && m.System.FormattedData != "" {
			fail("the results of actions are stored twice: %s", m.System.FormattedData)
		}
	}
	if w.held != w.s.State.AnswerHeld || w.held && w.s.Phase != domain.ParsingAIResponse {
		fail("an answer is held: %v", w.held)
	}
	w.checkWait(fail)
	w.checkLimits(fail)
	w.checkSlot(fail, step)
	w.checkJournal(fail)
	if len(w.queued) != len(w.inbox) {
		fail("%d messages wait, %d in the inbox", len(w.queued), len(w.inbox))
	}
	if w.s.Phase == domain.Idle && w.s.HoldsSlot && len(w.inbox) > 0 {
		fail("at rest with the slot, but a message waits")
	}
	// The door gives the time at which suspicion ends only to the process that performs the step.
	heartbeat, _ := e.(domain.SchedulerHeartbeat)
	cleared := w.s.State.Suspicion.ClearedAt(w.policy().Caution)
	untold := !heartbeat.Driven && cleared != nil && w.s.WakeAt != nil && cleared.Equal(*w.s.WakeAt)
	if at := w.s.WakeAt; e.Name() == "SchedulerHeartbeat" && len(step.Change.Transitions) == 0 && at != nil && !at.After(w.now) && !untold {
		fail("a heartbeat changed nothing and asks for another one at once")
	}
	if len(step.Change.Transitions) > 0 {
		last := step.Change.Transitions[len(step.Change.Transitions)-1]
		if last.To != w.s.Phase || last.Status != w.s.Status() {
			fail("the last transition leads to %s %s", last.To, last.Status)
		}
	}
}

func (w *world) checkWait(fail func(string, ...any)) {
	wait, settled := w.s.State.Waiting, false
	if w.s.Phase.Waiting() || w.s.Phase == domain.AwaitingSessionClosure {
		if wait == nil {
			fail("a wait without its context")
		}
		settled = wait.Answer != nil
	} else if wait != nil {
		fail("a waiting context outside a wait")
	}
	switch w.s.Phase {
	case domain.WaitingValidation, domain.WaitingCommunicationResponse, domain.WaitingBudget:
		a := w.approvals[wait.ApprovalID]
		if wait.Kind == domain.WaitAgents {
			if a != nil || w.s.Phase != domain.WaitingValidation {
				fail("an agent asks, and so does the session")
			}
		} else if a == nil || (a.Status == domain.ApprovalStatusOpen) == settled {
			fail("a person is waited for, but the approval is %v (answered: %v)", a, settled)
		}
		if !slices.ContainsFunc(w.messages, func(m *domain.Message) bool { return m.ID == wait.CancelMessageID }) {
			fail("the cancel message of the wait is not in the record")
		}
	case domain.WaitingNetworkRetry:
		if w.s.WakeAt == nil && w.s.HoldsSlot {
			fail("waits for the network without a timer")
		}
	case domain.AwaitingSessionClosure:
		if w.s.WakeAt == nil {
			fail("closes without a timer")
		}
	}
}

// checkCalls: a call of the AI that began is in the record when the session leaves it,
// whatever takes it out, and nothing is there that did not begin.
func (w *world) checkCalls(e domain.Event, step *domain.Step, c *domain.Change) {
	w.t.Helper()
	if len(c.Transitions) == 0 {
		if len(c.Roundtrips) > 0 {
			w.t.Fatalf("%s records a call and leaves no phase", e.Name())
		}
		return
	}
	switch made, reports := domain.RoundtripOf(e); {
	case w.calling && len(c.Roundtrips) != 1 && (!reports || made != nil):
		w.t.Fatalf("%s took the session out of a call, and %d calls are recorded", e.Name(), len(c.Roundtrips))
	case w.calling && !reports && c.Roundtrips[0].Outcome != domain.OutcomeCut:
		w.t.Fatalf("%s cut a call, recorded as %q", e.Name(), c.Roundtrips[0].Outcome)
	case !w.calling && len(c.Roundtrips) > 0 && made == nil:
		w.t.Fatalf("%s records a call that was not made", e.Name())
	}
	w.calling = step.Effect == domain.DoCallAI || step.Effect == domain.DoCompact
}

// checkLimits: a limit is a ceiling. (No random test changes the settings of a session.)
func (w *world) checkLimits(fail func(string, ...any)) {
	st, l := w.s.State, w.settings.LimitsFor(w.s.Type)
	for _, c := range []struct {
		name string
		max  *int
		now  int
	}{
		{"max_autonomous_roundtrips", l.MaxAutonomousRoundtrips, st.RoundRoundtrips},
		{"max_commands_per_session", l.MaxCommandsPerSession, st.CommandsRun},
	} {
		if c.max != nil && c.now > *c.max {
			fail("%s is %d, and there were %d", c.name, *c.max, c.now)
		}
	}
}

// checkSlot: the phases that hold the slot, and those that never do.
func (w *world) checkSlot(fail func(string, ...any), step *domain.Step) {
	if w.s.Type == domain.Agent {
		return
	}
	away := w.s.State.Suspended || w.s.State.Poisoned || w.s.State.CallAside || w.wanted
	switch w.s.Phase {
	case domain.Completed:
		if w.s.HoldsSlot {
			fail("an ended session holds the slot")
		}
	case domain.WaitingValidation, domain.WaitingBudget, domain.WaitingExternalResult:
		if w.s.Type == domain.Run && w.s.HoldsSlot {
			fail("parked with the slot")
		}
	default:
		if w.s.Phase.Working() && !w.s.HoldsSlot && !away {
			fail("works without the slot")
		}
	}
	if step.ReleasesSlot && w.s.HoldsSlot || step.AsksSlot && w.s.HoldsSlot {
		fail("the step contradicts the session about the slot")
	}
}

// checkJournal: an execution without a result belongs to the answer under way.
func (w *world) checkJournal(fail func(string, ...any)) {
	for _, id := range w.order {
		x := w.executions[id]
		if x.Status.Final() {
			continue
		}
		switch w.s.Phase {
		case domain.ExecutingDataQueries, domain.ExecutingActions, domain.WaitingValidation:
			if x.MessageID == w.s.State.AnswerID {
				continue
			}
		}
		fail("%s %s is %s, but is not carried out", x.ID, x.Command, x.Status)
	}
}

// checkOutside: what was read outside stays known, and nothing that was asked for because
// of it runs without an approval.
func (w *world) checkOutside(e domain.Event, step *domain.Step) {
	w.t.Helper()
	before, after := w.s.State.Taint, step.Session.State.Taint
	for _, m := range slices.Concat(step.Change.Messages, step.Change.PlacedMessages) {
		if m.Status != domain.MessageQueued && len(m.OutsideParts()) > 0 && after == nil {
			w.t.Fatalf("%s stored words from outside, and the session does not know of them", e.Name())
		}
	}
	if before != nil && (after == nil || after.Parts < before.Parts || !slices.Equal(after.Sources[:len(before.Sources)], before.Sources)) {
		w.t.Fatalf("%s forgot what was read outside: %v, then %v", e.Name(), before, after)
	}
	for _, x := range step.Change.Executions {
		if w.executions[x.ID] == nil && x.Foreign != nil && x.Foreign.Acts && !x.Foreign.Trusted {
			w.guarded[x.ID] = before != nil
		}
		ran := x.Status == domain.ExecStarted || x.StartedAt != nil && x.Status.Final() && x.Status != domain.ExecCancelled
		if a := w.approvals[x.ApprovalID]; w.guarded[x.ID] && ran && (a == nil || a.Status != domain.ApprovalStatusApproved) {
			w.t.Fatalf("%s ran %s, which words from outside asked for, without a person: %s", e.Name(), x.Command, freeze(x))
		}
	}
}

// checkCounters: what is counted for ever never goes down; the rest only where a new
// round, an answer or an outcome says so.
func (w *world) checkCounters(e domain.Event, before, after *domain.Session) {
	w.t.Helper()
	b, a := before.State, after.State
	down := func(name string, x, y int64) {
		if y < x {
			w.t.Fatalf("%s: %s went down from %d to %d", e.Name(), name, x, y)
		}
	}
	down("total_roundtrips", int64(b.TotalRoundtrips), int64(a.TotalRoundtrips))
	down("commands_run", int64(b.CommandsRun), int64(a.CommandsRun))
	down("worked_us", b.WorkedMicros, a.WorkedMicros)
	down("usage", before.Usage.Total(), after.Usage.Total())
	if b.RoundID == a.RoundID {
		down("round_tokens", b.RoundTokens, a.RoundTokens)
		if after.Type != domain.Chat {
			down("round_roundtrips", int64(b.RoundRoundtrips), int64(a.RoundRoundtrips))
		}
		switch e.Name() {
		case "ActionsExecuted", "ActionFailureOccurred", "ValidationReceived", "ExternalTasksStarted", "SessionActivationRequested", "AIResponseParsed", "DataQueriesExecuted", "ApprovalExpired", "SchedulerHeartbeat":
		default:
			down("consecutive_data_queries", int64(b.ConsecutiveDataQueries), int64(a.ConsecutiveDataQueries))
			down("consecutive_action_retries", int64(b.ConsecutiveActionRetries), int64(a.ConsecutiveActionRetries))
			down("consecutive_format_errors", int64(b.ConsecutiveFormatErrors), int64(a.ConsecutiveFormatErrors))
		}
	}
	if before.Phase == domain.Completed && before.Type != domain.Chat && after.Phase != domain.Completed {
		w.t.Fatalf("%s: an ended %s moved to %s", e.Name(), before.Type, after.Phase)
	}
}

// unpaired names a call of the record without a result, or "".
func unpaired(messages []*domain.Message) string {
	results := resultCount(messages)
	for _, m := range messages {
		if m.Raw == nil {
			continue
		}
		for _, call := range m.Raw.Calls {
			if results[call.ID] != 1 {
				return fmt.Sprintf("call %s (%s) has %d results", call.ID, call.Name, results[call.ID])
			}
		}
	}
	return ""
}

func answeredTwice(messages []*domain.Message) string {
	for call, n := range resultCount(messages) {
		if n > 1 {
			return fmt.Sprintf("call %s has %d results", call, n)
		}
	}
	return ""
}

func resultCount(messages []*domain.Message) map[string]int {
	results := map[string]int{}
	for _, m := range messages {
		if m.AnswersCall != "" {
			results[m.AnswersCall]++
		}
		if m.System != nil {
			for _, r := range m.System.CommandResults {
				if r.CallID != "" {
					results[r.CallID]++
				}
			}
		}
	}
	return results
}
