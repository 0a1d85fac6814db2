package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/explain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/orchestrator/machine"
	"github.com/fermata-dev/fermata/scheduler"
)

// TestRandomSlot sends a workspace through random events from outside and random work of
// its sessions. After each step nothing is as it must not be; and once everybody gets
// their answers, all that can come to an end does.
func TestRandomSlot(t *testing.T) {
	seeds := 12
	switch {
	case harness.Long:
		seeds = 400
	case harness.Raced:
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := newCrowd(t, uint64(seed))
			for range 80 {
				c.step()
				c.check()
			}
			c.calmDown()
		})
	}
}

// crowd is a workspace with its sessions, and a run loop whose work is done by chance.
type crowd struct {
	*virtual
	rand    *rand.Rand
	calm    bool // everything goes well from now on
	jobs    map[string]*job
	yields  map[string]bool
	lanes   bool // people have lanes, and the setting changes now and then
	orders  []string
	chats   []string
	history []string // for a failure message
}

// job is an effect that waits to be performed.
type job struct {
	effect domain.Effect
	epoch  int64
}

func newCrowd(t *testing.T, seed uint64) *crowd {
	c := &crowd{rand: rand.New(rand.NewPCG(seed, 7)), jobs: map[string]*job{}, yields: map[string]bool{}}
	c.virtual = newVirtual(t, harness.Databases["sqlite"](t), time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), func(config *scheduler.Config) {
		config.Runner = c
		config.Log = zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	})
	c.settings(fmt.Sprintf(`{"network_retry":{"policy":%q},"chat_preempts":%t,"automation_max_wait":"20m"}`,
		[]string{"forever", "requeue_after_3"}[seed%2], seed%3 != 0))
	owners := []string{"", "", "", "", ""}
	if c.lanes = seed/6%2 == 1; c.lanes {
		c.settings(`{"lanes":"person","automations_at_once":2}`)
		owners = []string{"", "per_ada", "per_ben", "", "per_ada"}
	}
	for i, change := range []func(*automation.NewAutomation){
		harness.Guarded, harness.Confirmed, harness.Refusing,
		func(in *automation.NewAutomation) { in.Budgets.MaxCostPerSession = new(0.3) },
		func(in *automation.NewAutomation) {
			in.Schedule = &automation.Schedule{Type: "interval", Expression: "7m", TimeZone: "UTC"}
			in.Overlap = []automation.OverlapPolicy{automation.OverlapSkip, automation.OverlapQueue, automation.OverlapRestart}[seed%3]
		},
	} {
		owned := func(in *automation.NewAutomation) { in.Owner = owners[i] }
		c.orders = append(c.orders, c.order(fmt.Sprint("order ", i), nil, change, owned).ID)
	}
	for _, owner := range owners[:3] {
		c.chats = append(c.chats, c.chatOf(owner).ID)
	}
	return c
}

// Drive, Cut and Yield take work as the run loop does.
func (c *crowd) Drive(view *domain.View, effect domain.Effect) {
	s := view.Session
	if old := c.jobs[s.ID]; old != nil && old.epoch > s.RunEpoch {
		return
	}
	delete(c.jobs, s.ID)
	delete(c.yields, s.ID)
	if effect != domain.DoNothing {
		c.jobs[s.ID] = &job{effect, s.RunEpoch}
	}
}

func (c *crowd) Cut(session string, epoch int64, _ error) {
	if old := c.jobs[session]; old != nil && old.epoch < epoch {
		delete(c.jobs, session)
	}
}

func (c *crowd) Yield(session string) { c.yields[session] = true }

func (c *crowd) Drives(string) bool { return true }

// agreeable finds nothing wrong with what people answer.
type agreeable struct{}

func (agreeable) RoleFor(*domain.ApprovalAction) domain.Role          { return domain.RoleMember }
func (agreeable) CheckResponse(*domain.Module, json.RawMessage) error { return nil }
func (agreeable) ResponseText(*domain.Module, json.RawMessage, string) string {
	return "this one"
}
func (agreeable) Edit(context.Context, *domain.View, domain.Decision) ([]*domain.Execution, error) {
	return nil, nil
}
func (agreeable) Again(context.Context, *domain.View, *domain.Execution) (*domain.PlannedCommands, error) {
	return &domain.PlannedCommands{}, nil
}
func (agreeable) Stale(context.Context, *domain.View, []string) (*domain.PlannedCommands, error) {
	return nil, nil
}

func (c *crowd) one(of int) bool { return !c.calm && c.rand.IntN(of) == 0 }

func anyOf[T any](c *crowd, list []T) T { return list[c.rand.IntN(len(list))] }

// step lets one thing happen.
func (c *crowd) step() {
	chat := anyOf(c, c.chats)
	switch n := c.rand.IntN(20); {
	case n < 8:
		c.work()
	case n < 11:
		how := anyOf(c, []domain.IfBusy{"", domain.IfBusyEnqueue, domain.IfBusySteer, domain.IfBusyInterrupt, domain.IfBusyReject})
		c.try("message "+string(how), chat, func(ctx context.Context) error {
			_, err := c.messages.SendMessage(ctx, domain.DefaultWorkspace, chat, domain.NewMessage{IfBusy: how,
				Rich: domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "Hello."}}, LinearText: "Hello."}})
			return err
		})
	case n < 13:
		order := anyOf(c, c.orders)
		c.try("execute", order, func(ctx context.Context) error {
			_, err := c.runs.ExecuteAutomation(ctx, domain.DefaultWorkspace, order, "test")
			return err
		})
	case n < 15:
		c.answerOne()
	case n < 18:
		d := anyOf(c, []time.Duration{0, time.Second, 6 * time.Second, time.Minute, 6 * time.Minute, 12 * time.Minute})
		c.history = append(c.history, "later "+d.String())
		c.pass(d)
	default:
		c.meddle()
	}
}

// meddle is what people do beside talking.
func (c *crowd) meddle() {
	if c.lanes && c.one(10) {
		lanes := anyOf(c, []string{"person", "workspace"})
		c.history = append(c.history, "lanes "+lanes)
		c.settings(`{"lanes":"` + lanes + `"}`)
		return
	}
	all := c.sessions()
	s := anyOf(c, all)
	what := anyOf(c, []string{"activate", "stop", "interrupt", "resume", "retry", "leave the queue"})
	do := map[string]func(context.Context) error{
		"activate": func(ctx context.Context) error {
			_, err := c.scheduling.sessions.ActivateSession(ctx, s.WorkspaceID, s.ID)
			return err
		},
		"stop": func(ctx context.Context) error {
			_, err := c.scheduling.sessions.StopSession(ctx, s.WorkspaceID, s.ID, domain.Author{ID: "test"})
			return err
		},
		"interrupt": func(ctx context.Context) error {
			_, err := c.scheduling.sessions.InterruptSession(ctx, s.WorkspaceID, s.ID, domain.Author{ID: "test"})
			return err
		},
		"resume": func(ctx context.Context) error {
			_, err := c.scheduling.sessions.ResumeSession(ctx, s.WorkspaceID, s.ID, domain.Author{ID: "test"})
			return err
		},
		"retry": func(ctx context.Context) error {
			_, err := c.scheduling.again.RetrySession(ctx, s.WorkspaceID, s.ID, domain.RetryRequest{By: domain.Author{ID: "test"}, DespiteEffects: true})
			return err
		},
		"leave the queue": func(ctx context.Context) error {
			_, err := c.scheduling.sessions.LeaveQueue(ctx, s.WorkspaceID, s.ID)
			return err
		},
	}
	c.try(what, s.ID, do[what])
}

// try does something that may be refused, but may not fail.
func (c *crowd) try(what, whom string, do func(context.Context) error) {
	c.t.Helper()
	err := do(c.t.Context())
	c.history = append(c.history, fmt.Sprintf("%s %s: %v", what, whom, err))
	var known *domain.Error
	if err != nil && !errors.As(err, &known) {
		c.fail("%s failed: %v", what, err)
	}
}

func (c *crowd) fail(format string, args ...any) {
	c.t.Helper()
	for _, line := range c.history {
		c.t.Log(line)
	}
	for _, s := range c.sessions() {
		c.t.Logf("%s %s %s %s slot=%t queued=%v suspended=%t poisoned=%t %+v", s.ID, s.Type, s.Phase, s.EndReason, s.HoldsSlot, s.QueuedAt, s.State.Suspended, s.State.Poisoned, s.State.Waiting)
	}
	c.t.Fatalf(format, args...)
}

func (c *crowd) sessions() []*domain.Session {
	var all []*domain.Session
	for cursor := ""; ; {
		page, next, err := c.store.Sessions.Sessions(c.t.Context(), domain.DefaultWorkspace, domain.SessionFilter{Limit: 200, Cursor: cursor})
		c.ok(err)
		if all = append(all, page...); next == "" {
			break
		}
		cursor = next
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return slices.DeleteFunc(all, func(s *domain.Session) bool { return s.Type == domain.Seed })
}

func (c *crowd) approvals() []*domain.Approval {
	open, _, err := c.store.Approvals.Approvals(c.t.Context(), domain.DefaultWorkspace, domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, Limit: 200})
	c.ok(err)
	return open
}

func (c *crowd) answerOne() {
	open := c.approvals()
	if len(open) == 0 {
		return
	}
	a := anyOf(c, open)
	d := domain.Decision{Approved: c.calm || c.rand.IntN(3) > 0, Value: json.RawMessage(`"x"`), Cancelled: c.one(4), By: domain.Author{ID: "ada", Role: domain.RoleAdmin}}
	if c.one(3) {
		d.Comment = "Otherwise."
	}
	if a.Kind == domain.ApprovalBudget {
		d.Value, d.Limit = nil, new(1000.0)
	}
	c.try(fmt.Sprintf("answer %s %t to", a.Kind, d.Approved), a.SessionID, func(ctx context.Context) error {
		_, err := c.answers.AnswerApproval(ctx, domain.DefaultWorkspace, a.ID, d)
		return err
	})
}

// work performs one effect, and stores its outcome as a driver does.
func (c *crowd) work() {
	if len(c.jobs) == 0 {
		return
	}
	busy := make([]string, 0, len(c.jobs))
	for id := range c.jobs {
		busy = append(busy, id)
	}
	slices.Sort(busy)
	id := anyOf(c, busy)
	if c.yields[id] {
		c.queue.SafePoint(c.t.Context(), c.session(id))
	}
	j := c.jobs[id]
	if j == nil {
		return // another session took the slot
	}
	view, err := c.store.View(c.t.Context(), domain.DefaultWorkspace, id)
	c.ok(err)
	if view.Session.RunEpoch != j.epoch {
		c.fail("%s was driven on under the claim %d, and it is %d", id, j.epoch, view.Session.RunEpoch)
	}
	event := c.outcome(view)
	c.history = append(c.history, fmt.Sprintf("%s of %s: %s", j.effect, id, event.Name()))
	step, err := machine.Run(view.Session, event, &domain.Policy{
		Now: c.now, NewID: ids.New, Settings: view.Workspace.Settings, Inbox: view.Inbox, Open: view.Open,
		CancelMessage: view.CancelMessage, Planned: view.Planned, Spent: view.Spent, Retry: orchestrator.RetryDelay(view.Workspace.Settings.NetworkRetry),
	})
	if err != nil {
		c.fail("the outcome %s of %s was refused: %v", event.Name(), id, err)
	}
	c.ok(c.store.Commit(c.t.Context(), step.Change))
	if j.effect = step.Effect; j.effect == domain.DoNothing {
		delete(c.jobs, id)
		c.door.Rested(step.Session)
	}
}

// outcome is the outcome of an effect.
func (c *crowd) outcome(view *domain.View) domain.Event {
	s := view.Session
	call := &domain.Roundtrip{ID: ids.New(domain.PrefixRoundtrip), Purpose: "answer", StartedAt: c.now, EndedAt: c.now, Usage: domain.Usage{InputTokens: 10, Cost: new(0.1)}}
	switch {
	case s.Phase == domain.ExecutingEnrichments:
		return domain.EnrichmentsExecuted{}
	case s.Phase == domain.CallingAI && c.one(4):
		return domain.NetworkErrorOccurred{Problem: "away", Roundtrip: call}
	case s.Phase == domain.CallingAI && c.one(20):
		return domain.SystemErrorOccurred{Code: "refused", Problem: "refused", Roundtrip: call}
	case s.Phase == domain.CallingAI:
		return domain.AIResponseReceived{MessageID: ids.New(domain.PrefixMessage), Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative}, Hash: ids.New("hash"), Roundtrip: call}
	case s.Phase == domain.ParsingAIResponse:
		return c.answer(s)
	}
	var ended []*domain.Execution
	kind, failed := domain.KindAction, s.Phase == domain.ExecutingActions && c.one(4)
	if s.Phase == domain.ExecutingDataQueries {
		kind = domain.KindQuery
	}
	for _, x := range view.Planned {
		if x.Kind == kind && !x.Status.Final() {
			own := *x
			own.Status, own.StartedAt, own.EndedAt = domain.ExecSuccess, new(c.now), new(c.now)
			if failed {
				own.Status, own.Error = domain.ExecFailed, &domain.CommandError{Code: "not_found", Message: "It is not there."}
			}
			ended = append(ended, &own)
		}
	}
	switch {
	case kind == domain.KindQuery:
		return domain.DataQueriesExecuted{Executions: ended}
	case failed:
		return domain.ActionFailureOccurred{Executions: ended}
	default:
		return domain.ActionsExecuted{Executions: ended}
	}
}

// answer is what the AI said: words, an action, a query, a question, or that it is done.
func (c *crowd) answer(s *domain.Session) domain.Event {
	raw := &domain.RawAnswer{Protocol: domain.ProtocolNative}
	e := domain.AIResponseParsed{MessageID: ids.New(domain.PrefixMessage), Raw: raw, Answer: &domain.AIMessage{PreText: "So."}}
	execution := func(name string, kind domain.CommandKind) *domain.Execution {
		raw.Calls = append(raw.Calls, domain.RawCall{ID: ids.New("call"), Name: name, Arguments: "{}"})
		return &domain.Execution{ID: ids.New(domain.PrefixExecution), CallID: raw.Calls[len(raw.Calls)-1].ID, Command: name,
			Params: json.RawMessage(`{}`), Kind: kind, Effect: domain.EffectIdempotent, Status: domain.ExecPlanned}
	}
	what := c.rand.IntN(6)
	switch {
	case c.calm:
		e.Answer.Completed = s.Type == domain.Run
	case what == 0:
		e.Commands.Queries = []*domain.Execution{execution("ZONES", domain.KindQuery)}
	case what < 3:
		x := execution("CREATE_ZONE", domain.KindAction)
		e.Commands.Actions = []*domain.Execution{x}
		e.Answer.Completed = c.one(3)
		if s.RequireValidation || c.one(2) {
			e.Commands.Reasons = []domain.ApprovalReason{{Level: domain.LevelSession, Text: "Approval is required."}}
			e.Commands.Cards = []domain.ApprovalAction{{ID: x.ID, Command: x.Command, Params: x.Params, Text: "Add a zone", Digest: "d"}}
		}
	case what == 3 && s.Type == domain.Chat:
		e.Answer.Module = &domain.Module{Type: "Text", Data: json.RawMessage(`{"question": "Which?"}`)}
	case what == 4:
		e.Answer.Completed = true
	case what == 5 && c.one(3):
		return domain.ParseErrorOccurred{MessageID: e.MessageID, Raw: raw, Problem: "unreadable"}
	}
	return e
}

// check holds the workspace against what must be.
func (c *crowd) check() {
	c.t.Helper()
	all, err := c.store.Workspaces.Invariants(c.t.Context(), domain.DefaultWorkspace)
	c.ok(err)
	for _, i := range all {
		if i.Count != 0 && i.Name != "running_without_owner" {
			c.fail("invariant %s: %d (%s)", i.Name, i.Count, i.Description)
		}
	}
	holders := map[string]int{}
	for _, s := range c.sessions() {
		if s.HoldsSlot {
			holders[s.Lane]++
		}
		if works := c.jobs[s.ID] != nil; works != ((s.HoldsSlot || s.State.CallAside) && s.Phase.Working()) {
			c.fail("%s is in %s, and its work is under way: %t", s.ID, s.Phase, works)
		}
		c.tellsTrue(s)
	}
	for lane, n := range holders {
		if n > 1 && (lane != domain.LaneAutomations || n > 2) {
			c.fail("%d sessions hold the slot of %s", n, lane)
		}
	}
}

// tellsTrue: a session that waits for the slot says so, whatever brought it there, and
// none says so that does not. One that was set aside says that instead; one that queues
// for later than now waits for that time.
func (c *crowd) tellsTrue(s *domain.Session) {
	c.t.Helper()
	st, err := c.store.Sessions.Standing(c.t.Context(), s.WorkspaceID, s.ID)
	c.ok(err)
	why := explain.Session(st, c.now)
	waits, queued, place := why.Waits.Kind == domain.ForSlot, s.Status() == domain.StatusQueued, st.View.Session.QueuePosition > 0
	later := why.UnblockedBy == explain.ByTimer && queued
	if queued != place || queued != (waits && s.Status() != domain.StatusSuspended || later) {
		c.fail("%s is %s in %s, has a place in the queue: %t, and is explained as waiting for %s by %s", s.ID, s.Status(), s.Phase, place, why.Waits.Kind, why.UnblockedBy)
	}
}

// calmDown satisfies all waits: effects succeed, questions are answered, time passes. Then nothing waits any
// more.
func (c *crowd) calmDown() {
	c.calm = true
	c.settings(`{"chat_eviction_after":"1m"}`)
	for _, order := range c.orders { // nothing new begins
		_, _, err := c.automations.UpdateAutomation(c.t.Context(), domain.DefaultWorkspace, order, automation.Patch{Enabled: new(false)})
		c.ok(err)
	}
	for range 100 {
		for len(c.jobs) > 0 {
			c.work()
			c.check()
		}
		if waiting := c.waiting(); waiting == "" {
			return
		}
		c.answerOne()
		c.pass(20 * time.Second)
		c.check()
	}
	c.fail("a session waits for ever: %s", c.waiting())
}

// waiting lists the sessions that have neither ended nor come to rest.
func (c *crowd) waiting() string {
	for _, s := range c.sessions() {
		rests := s.Phase == domain.Completed || s.Type == domain.Chat && s.Phase == domain.Idle && s.QueuedAt == nil && s.State.PendingCause == ""
		if !rests {
			return s.ID
		}
		view, err := c.store.View(c.t.Context(), domain.DefaultWorkspace, s.ID)
		c.ok(err)
		if s.Phase != domain.Completed && len(view.Inbox) > 0 {
			return s.ID + " with a message"
		}
	}
	return ""
}
