package suite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// Ids of the session, of the user message that begins the round, and of the round.
const (
	SessionID   = "ses_00000000000000000000000000000001"
	messageID   = "msg_00000000000000000000000000000002"
	roundID     = "rnd_00000000000000000000000000000003"
	workspaceID = "wsp_1"
	// Text is the text of the user message.
	Text = "Hello"
)

// Caller is the client that sends the message.
var Caller = &auth.Identity{Workspace: workspaceID, Role: domain.RoleMember, Name: "key_1", Title: "A client"}

// World is the record of one session and the scheduler that changes it. It implements the interfaces
// through which adapters use the server.
type World struct {
	// Settings are those of the workspace.
	Settings domain.Settings

	broker *stream.Broker
	log    eventLog
	steps  []step // that follow the message
	err    error  // the first error of a step

	mu        sync.Mutex
	session   domain.Session
	messages  []*domain.Message
	approvals []*domain.Approval
	decisions []domain.Decision
	request   string // metadata of the request that sent the message
	sent      bool
	played    chan struct{} // closed when the steps are over
	answers   int
	ids       int
}

func newWorld(broker *stream.Broker, steps []step) *World {
	now := clock.System()
	return &World{
		Settings: domain.DefaultSettings(), broker: broker, steps: steps, played: make(chan struct{}),
		session: domain.Session{
			ID: SessionID, WorkspaceID: workspaceID, Type: domain.Chat, Name: "A session", Phase: domain.Idle, HoldsSlot: true,
			CreatedAt: now, UpdatedAt: now, LastEventTime: now,
		},
	}
}

// Sent reports whether the user message was sent.
func (w *World) Sent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// Over is closed at the end of the story.
func (w *World) Over() <-chan struct{} { return w.played }

// publish stores an event and delivers it to listeners.
func (w *World) publish(e *domain.LogEvent) int64 {
	w.mu.Lock()
	e.At = clock.System()
	if e.Session != nil {
		copied := w.session
		e.Session = &copied
	}
	if err := w.log.add(e); err != nil && w.err == nil {
		w.err = err
	}
	w.session.LastSeq, w.session.SessionSeq, w.session.LastEventTime = e.Seq, e.Seq, e.At
	w.mu.Unlock()
	w.broker.Publish([]*domain.LogEvent{e})
	if e.Type == domain.LogMessageCreated {
		w.broker.Settle(SessionID, e.Message.ID)
	}
	return e.Seq
}

// gather is a little longer than text is collected before it is sent.
const gather = 50 * time.Millisecond

// play performs the steps, with time between them in which listeners take the events.
func (w *World) play() {
	defer close(w.played)
	for _, s := range w.steps {
		wait(gather)
		s.do(w)
	}
}

// send stores the user message, and plays the steps behind it.
func (w *World) send(in *domain.NewMessage) (*domain.Receipt, error) {
	w.mu.Lock()
	if w.sent {
		w.mu.Unlock()
		return nil, domain.Errorf(domain.CodeConflict, "The message was sent before.")
	}
	queued := len(w.steps) > 0 && w.steps[0].queues
	w.sent = true
	m := &domain.Message{
		ID: messageID, WorkspaceID: workspaceID, SessionID: SessionID, RoundID: roundID, Timestamp: clock.System(),
		Sender: domain.SenderUser, Status: domain.MessageStored, SenderID: in.By.ID, SenderName: in.By.Name,
		Rich: &in.Rich, Tools: in.Tools,
	}
	if queued {
		m.RoundID, m.Status = "", domain.MessageQueued
	}
	if in.History != nil {
		w.request = in.History.Request
	}
	w.messages = append(w.messages, m)
	w.mu.Unlock()
	seq := w.publish(&domain.LogEvent{Type: domain.LogMessageCreated, Message: m})
	if !queued {
		w.enter(domain.CallingAI, domain.UserMessageSent{}.Name())
	}
	w.mu.Lock()
	s, copied := w.session, *m
	w.mu.Unlock()
	go w.play()
	return &domain.Receipt{Session: &s, Message: &copied, Seq: seq}, nil
}

// CreateSession finds the session, which exists.
func (w *World) CreateSession(_ context.Context, _ string, _ domain.NewSession) (*domain.Receipt, error) {
	return nil, fmt.Errorf("the session %s exists", SessionID)
}

// SendMessage stores the message once; a repeated one is a conflict.
func (w *World) SendMessage(_ context.Context, _, _ string, in domain.NewMessage) (*domain.Receipt, error) {
	return w.send(&in)
}

// Session returns the session.
func (w *World) Session(_ context.Context, _, id string) (*domain.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id != SessionID {
		return nil, domain.NotFound("session")
	}
	s := w.session
	return &s, nil
}

// SessionByExternalID finds no session: clients name it by its id.
func (w *World) SessionByExternalID(context.Context, string, string) (*domain.Session, error) {
	return nil, domain.NotFound("session")
}

// Message returns a message.
func (w *World) Message(_ context.Context, _, _, id string) (*domain.Message, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.messages {
		if m.ID == id {
			copied := *m
			return &copied, nil
		}
	}
	return nil, domain.NotFound("message")
}

// Messages lists the messages after a sequence number, followed by the queued ones.
func (w *World) Messages(_ context.Context, _, _ string, after int64, _ int) ([]*domain.Message, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var placed, queued []*domain.Message
	for _, m := range w.messages {
		copied := *m
		switch {
		case m.Seq == 0:
			queued = append(queued, &copied)
		case m.Seq > after:
			placed = append(placed, &copied)
		}
	}
	slices.SortFunc(placed, func(a, b *domain.Message) int { return int(a.Seq - b.Seq) })
	return append(placed, queued...), nil
}

// MessagePage lists all messages, the latest first.
func (w *World) MessagePage(ctx context.Context, _ *domain.Session, _ string, limit int, _ bool) ([]*domain.Message, string, error) {
	all, err := w.Messages(ctx, workspaceID, SessionID, 0, limit)
	slices.Reverse(all)
	return all, "", err
}

// Approval returns an approval.
func (w *World) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.approvals {
		if a.ID == id {
			copied := *a
			return &copied, nil
		}
	}
	return nil, domain.NotFound("approval")
}

// Approvals lists the approvals with a status.
func (w *World) Approvals(_ context.Context, _ string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*domain.Approval
	for _, a := range w.approvals {
		if a.Status == f.Status {
			copied := *a
			out = append(out, &copied)
		}
	}
	return out, "", nil
}

// KnownHistories finds the message, once it was sent.
func (w *World) KnownHistories(_ context.Context, _ string, hashes [2]string) ([]domain.KnownHistory, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.sent {
		return nil, nil
	}
	return []domain.KnownHistory{{
		HistoryKey:  domain.HistoryKey{Hash: hashes[0], Request: w.request},
		WorkspaceID: workspaceID, SessionID: SessionID, MessageID: messageID, Newest: true,
	}}, nil
}

// RequestOf returns the metadata of the request that sent the message.
func (w *World) RequestOf(context.Context, string, string, string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.request, nil
}

// SessionOf finds no other messages.
func (w *World) SessionOf(context.Context, string, string) (string, error) { return "", nil }

// Workspace returns the workspace.
func (w *World) Workspace(context.Context, string) (*domain.Workspace, error) {
	return &domain.Workspace{ID: workspaceID, Settings: w.Settings}, nil
}

// Commands lists no commands.
func (w *World) Commands(context.Context, string) ([]domain.CommandSpec, error) { return nil, nil }

// UpdateSession changes nothing.
func (w *World) UpdateSession(context.Context, string, string, domain.SessionPatch) (*domain.Receipt, error) {
	return nil, domain.NotFound("session")
}

// ForkSession creates nothing.
func (w *World) ForkSession(context.Context, string, string, domain.NewFork) (*domain.Receipt, error) {
	return nil, domain.NotFound("session")
}

// AnswerByText takes no answers.
func (w *World) AnswerByText(context.Context, string, string, domain.Decision, domain.NewMessage) (*domain.Receipt, error) {
	return nil, domain.NotFound("approval")
}

// Still allows the caller to read.
func (w *World) Still(context.Context, *auth.Identity) error { return nil }

// Follow subscribes to the events of the session.
func (w *World) Follow(f stream.Filter) *stream.Reader { return w.broker.Reader(&w.log, f) }

// NewID returns ids that are the same in each run.
func (w *World) NewID(prefix string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("%s_%032x", prefix, 0x100+w.ids)
}
