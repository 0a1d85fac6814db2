package orchestrator

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/orchestrator/machine"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/repository/suite"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// world is a store of one session in memory, with the guards of the real one: a write
// is conditional on version and epoch, and numbers its events.
type world struct {
	held *domain.HeldAnswer // an answer that waits for the slot

	t     *testing.T
	newID domain.IDSource

	mu       sync.Mutex
	ws       domain.Workspace
	session  *domain.Session
	messages []*domain.Message
	inbox    []*domain.InboxItem
	runs     map[string]*domain.Execution
	tasks    []*domain.Task // at other services
	open     map[string]*domain.Approval
	commits  int
	// roundtrips are the calls of the AI that were kept.
	roundtrips []*domain.Roundtrip
	fail       []error // what the next commits give instead of working

	loop    *Loop
	streams *fakeStreams
	model   *fakeModel
	rested  chan *domain.Session
	notices []string // code and text
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, newID: repeatable.IDs(), runs: map[string]*domain.Execution{}, open: map[string]*domain.Approval{},
		ws:      domain.Workspace{ID: "default", Settings: domain.DefaultSettings()},
		streams: &fakeStreams{}, model: &fakeModel{}, rested: make(chan *domain.Session, 64),
	}
	now := clock.System()
	w.session = &domain.Session{ID: "ses_1", WorkspaceID: "default", Type: domain.Chat, Phase: domain.Idle, HoldsSlot: true, Version: 1, LastEventTime: now}
	w.loop = New(Config{
		Store: w, Streams: w.streams, Models: w.model, Commands: commands.New(data.NewRules(), automations.Drafts{}), Clock: clock.System, NewID: w.newID,
		Data: func(string) commands.Data { return noData{} }, Log: zerolog.Nop(), Grace: time.Second,
		Hooks: Hooks{Rested: func(s *domain.Session) { w.rested <- s }},
	})
	return w
}

// TestTheFakeStore: the store of these tests keeps the rules of the real ones.
func TestTheFakeStore(t *testing.T) {
	suite.RunLoopStore(t, func(t *testing.T) (suite.LoopStore, *domain.Session) {
		t.Helper()
		w := newWorld(t)
		return w, w.session.Clone()
	})
}

// noData is a workspace without anything in it.
type noData struct{ commands.Data }

func (noData) Documents(context.Context) ([]userdata.Document, error) { return nil, nil }
func (noData) Tools(context.Context, string) ([]userdata.Tool, error) { return nil, nil }
func (noData) Zones(context.Context) ([]userdata.Zone, error)         { return nil, nil }
func (noData) ToolTypes(context.Context) ([]userdata.ToolType, error) { return nil, nil }
func (noData) InsertZone(context.Context, *userdata.Zone) error       { return nil }
func (noData) Savepoint(_ context.Context, fn func() error) error     { return fn() }

// say brings a message in as the door does: decided, stored, driven.
func (w *world) say(text string) { w.t.Helper(); w.sayIn("", text) }

// sayIn is that by a request that is part of a trace.
func (w *world) sayIn(trace, text string) {
	w.t.Helper()
	w.deliver(domain.UserMessageSent{Message: &domain.Message{
		ID: w.newID(domain.PrefixMessage), WorkspaceID: "default", SessionID: "ses_1", Sender: domain.SenderUser,
		Status: domain.MessageStored, Timestamp: clock.System(),
		Rich: &domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: text}}, LinearText: text},
	}, IfBusy: domain.IfBusyEnqueue, Trace: trace})
}

func (w *world) deliver(e domain.Event, after ...func()) {
	w.t.Helper()
	w.mu.Lock()
	view := w.view()
	step, err := machine.Run(view.Session, e, w.loop.policy(view))
	if err != nil {
		w.mu.Unlock()
		w.t.Fatalf("%s: %v", e.Name(), err)
	}
	claim := len(step.Change.Transitions) > 0
	for i := range step.Change.Sessions {
		step.Change.Sessions[i].Claim = claim
	}
	w.apply(step.Change)
	for _, do := range after {
		do()
	}
	view = w.view()
	w.mu.Unlock()
	if claim {
		w.loop.Drive(view, step.Effect)
	}
}

func (w *world) rest() *domain.Session {
	w.t.Helper()
	return <-w.rested
}

func (w *world) view() *domain.View {
	s := w.session.Clone()
	v := &domain.View{Workspace: &w.ws, Session: s, Holder: s, Inbox: append([]*domain.InboxItem(nil), w.inbox...), Tasks: slices.Clone(w.tasks)}
	for _, a := range w.open {
		v.Open = append(v.Open, a)
	}
	for _, e := range w.runs {
		if e.MessageID == s.State.AnswerID && s.Phase != domain.Idle && s.Phase != domain.Completed {
			c := *e
			v.Planned = append(v.Planned, &c)
		}
	}
	slices.SortFunc(v.Planned, func(a, b *domain.Execution) int { return a.Position - b.Position })
	return v
}

func (w *world) View(context.Context, string, string) (*domain.View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.view(), nil
}

func (w *world) Commit(_ context.Context, change *domain.Change) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.fail) > 0 {
		err := w.fail[0]
		w.fail = w.fail[1:]
		return err
	}
	if s := change.Sessions[0].Session; s.Version != w.session.Version || s.RunEpoch != w.session.RunEpoch {
		return domain.ErrStale
	}
	for i := range change.HeldAnswers {
		if w.held = &change.HeldAnswers[i]; w.held.Answer == nil {
			w.held = nil
		}
	}
	w.apply(change)
	return nil
}

func (w *world) Act(ctx context.Context, _, _ string, act ActFunc) (*domain.Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := act(ctx, w.view(), noData{})
	if err == nil && change != nil {
		w.apply(change)
	}
	return change, err
}

// apply writes a change: the lock is held.
func (w *world) apply(change *domain.Change) {
	s := change.Sessions[0].Session
	s.Version++
	if change.Sessions[0].Claim {
		s.RunEpoch++
	}
	for _, e := range change.Events {
		w.ws.LastSeq++
		e.Seq = w.ws.LastSeq
		if e.Type.OfSession() {
			s.SessionSeq++
			e.SessionSeq, s.LastSeq = s.SessionSeq, e.Seq
		}
		if e.Notice != nil {
			w.notices = append(w.notices, e.Notice.Code+": "+e.Notice.Text)
		}
		placed := e.Type == domain.LogMessageUpdated || e.Type == domain.LogMessageCreated && e.Message.Status != domain.MessageQueued
		if e.Message != nil && placed {
			e.Message.Seq = e.Seq
			w.messages = append(w.messages, e.Message)
		}
		if e.Type == domain.LogMessageDeleted {
			for i, m := range w.messages {
				if m.ID == e.Message.ID {
					w.messages = append(w.messages[:i:i], w.messages[i+1:]...)
					break
				}
			}
		}
	}
	for _, e := range change.Executions {
		w.runs[e.ID] = e
	}
	for _, t := range change.Tasks {
		w.tasks = append(slices.DeleteFunc(w.tasks, func(x *domain.Task) bool { return x.ID == t.ID }), t)
	}
	for _, a := range change.Approvals {
		delete(w.open, a.ID)
		if a.Status == domain.ApprovalStatusOpen {
			w.open[a.ID] = a
		}
	}
	for _, item := range change.Inbox {
		if item.Message == nil {
			for _, m := range change.Messages {
				if m.ID == item.MessageID {
					item.Message = m
				}
			}
		}
		w.inbox = append(w.inbox, item)
	}
	for _, id := range change.InboxDone {
		for i, item := range w.inbox {
			if item.ID == id {
				w.inbox = append(w.inbox[:i:i], w.inbox[i+1:]...)
				break
			}
		}
	}
	w.roundtrips = append(w.roundtrips, change.Roundtrips...)
	w.session = s.Clone()
	w.commits++
	w.loop.Committed(change)
}

func (w *world) Record(context.Context, *domain.Session) ([]*domain.Message, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*domain.Message(nil), w.messages...), nil
}

func (w *world) Message(_ context.Context, _, _, id string) (*domain.Message, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.messages {
		if m.ID == id {
			return m, nil
		}
	}
	return nil, domain.NotFound("message")
}

func (w *world) HeldAnswer(context.Context, string, string) (*domain.HeldAnswer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held, nil
}

func (w *world) RecentExecutions(context.Context, string, string, time.Time) ([]*domain.Execution, error) {
	return nil, nil
}

func (w *world) UnsettledCommands(context.Context, string) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for _, e := range w.runs {
		if e.Status == domain.ExecUnknown {
			ids = append(ids, e.CommandID)
		}
	}
	return ids, nil
}

// said is the record in one word each, for the eye.
func (w *world) said() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, m := range w.messages {
		switch {
		case m.System != nil:
			all = append(all, string(m.System.Type))
		case m.AI != nil:
			all = append(all, "AI:"+m.AI.PreText)
		case m.Rich != nil:
			all = append(all, "USER:"+m.Rich.LinearText)
		default:
			all = append(all, string(m.Sender)+":"+m.Text)
		}
	}
	return all
}

// fakeStreams notes what is streamed.
type fakeStreams struct {
	mu        sync.Mutex
	watched   bool
	text      string
	discarded []string
	settled   int
}

func (s *fakeStreams) Watched(string) bool { return s.watched }

func (s *fakeStreams) Delta(_, _, _, _, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text += text
}

func (s *fakeStreams) Discard(_, _, _, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.discarded = append(s.discarded, reason)
}

func (s *fakeStreams) Settle(_, _ string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled++
}

// fakeModel answers each call with the next of its answers.
type fakeModel struct {
	mu      sync.Mutex
	answers []func(ctx context.Context, r *providers.Request) (*providers.Answer, error)
	asked   []*ai.Prompt
}

func (m *fakeModel) For(context.Context, string, string) (*providers.Model, error) {
	return &providers.Model{Provider: m, ID: "prv_1", Kind: "fake", Name: "fake-1", Protocol: domain.ProtocolNative}, nil
}

func (m *fakeModel) Known(string, string) *providers.Model {
	model, _ := m.For(context.Background(), "", "")
	return model
}

func (m *fakeModel) Abilities() providers.Abilities { return providers.Abilities{NativeCalls: true} }

func (m *fakeModel) Query(ctx context.Context, r *providers.Request) (*providers.Answer, error) {
	m.mu.Lock()
	if len(m.answers) == 0 {
		m.mu.Unlock()
		return nil, &providers.Error{Class: providers.ClassInvalidRequest, Message: "the fake has no more answers"}
	}
	answer := m.answers[0]
	m.answers = m.answers[1:]
	m.asked = append(m.asked, r.Prompt)
	m.mu.Unlock()
	return answer(ctx, r)
}

func (m *fakeModel) then(answer func(ctx context.Context, r *providers.Request) (*providers.Answer, error)) {
	m.answers = append(m.answers, answer)
}

// text answers with words; calls with native calls (name, arguments, …).
func (m *fakeModel) text(words string) {
	m.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
		if r.OnDelta != nil {
			r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: words})
		}
		return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: words, StopReason: "stop"}, Usage: domain.Usage{InputTokens: 10, OutputTokens: 2}}, nil
	})
}

func (m *fakeModel) calls(pairs ...string) { m.says("", pairs...) }

// says has the model call commands, with words beside them.
func (m *fakeModel) says(words string, pairs ...string) {
	m.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
		raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: words, StopReason: "calls"}
		for i := 0; i < len(pairs); i += 2 {
			raw.Calls = append(raw.Calls, domain.RawCall{ID: r.NewID("call"), Name: pairs[i], Arguments: pairs[i+1]})
		}
		return &providers.Answer{Raw: raw}, nil
	})
}
