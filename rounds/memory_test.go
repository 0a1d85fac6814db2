package rounds

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// memory is a scheduler with its record, in memory.
type memory struct {
	Commands // what the tests do not use
	broker   *stream.Broker

	mu        sync.Mutex
	sessions  map[string]*domain.Session
	messages  []*domain.Message
	approvals []*domain.Approval
	histories []domain.KnownHistory
	log       []*domain.LogEvent
	queues    bool // messages wait behind another round
	conflicts int  // that many messages are in conflict with another request, which stores the first of them
	revoked   bool // the caller may not read any more
	reads     int  // of messages
	made      int  // sessions
	ids       int
	retries   int
	earlier   []domain.EarlierMessage // of the newest session
}

const inWorkspace = "w"

func newMemory(t *testing.T) *memory {
	t.Helper()
	broker := stream.New(stream.Config{})
	if err := broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := broker.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &memory{broker: broker, sessions: map[string]*domain.Session{}}
}

// round returns a round of a caller.
func (m *memory) round(caller string) *Round {
	c := Config{
		Commands: m, Record: m, Approvals: m, Histories: m, Names: NewSessionNames(clock.System), Clock: clock.System,
		NewID: func(prefix string) string {
			m.ids++
			return fmt.Sprintf("%s_f%031x", prefix, m.ids)
		},
		Follow: func(f stream.Filter) *stream.Reader { return m.broker.Reader(m, f) },
		StillAllowed: func(context.Context, *auth.Identity) error {
			if m.revoked {
				return domain.Errorf(domain.CodeForbidden, "The key was revoked.")
			}
			return nil
		},
	}
	return c.Round(&auth.Identity{Workspace: inWorkspace, Role: domain.RoleMember, Name: caller})
}

// publish stores an event, numbered as in a commit.
func (m *memory) publish(session string, e *domain.LogEvent) int64 {
	m.mu.Lock()
	e.Seq, e.SessionSeq, e.WorkspaceID, e.SessionID = int64(len(m.log)+1), int64(len(m.log)+1), inWorkspace, session
	if e.Message != nil && e.Message.Seq == 0 && e.Message.Status != domain.MessageQueued {
		e.Message.Seq = e.Seq
	}
	s := m.sessions[session]
	s.LastSeq, s.LastEventTime = e.Seq, clock.System()
	if e.Session != nil {
		copied := *s
		e.Session = &copied
	}
	var err error
	if e.Data, err = api.EncodeEvent(e); err != nil {
		panic(err)
	}
	m.log = append(m.log, e)
	m.mu.Unlock()
	m.broker.Publish([]*domain.LogEvent{e})
	return e.Seq
}

// enter changes the phase of a session.
func (m *memory) enter(session string, phase domain.Phase) { m.enterBy(session, phase, "") }

func (m *memory) enterBy(session string, phase domain.Phase, event string) {
	m.mu.Lock()
	s := m.sessions[session]
	from := s.Phase
	if s.Phase = phase; phase == domain.Completed {
		s.EndReason = domain.EndCompleted
	}
	change := &domain.Transition{From: from, To: phase, Event: event, Status: s.Status(), RoundID: s.State.RoundID, At: clock.System()}
	m.mu.Unlock()
	m.publish(session, &domain.LogEvent{Type: domain.LogSessionPhase, Phase: change})
	m.publish(session, &domain.LogEvent{Type: domain.LogSessionStatus, Session: &domain.Session{}})
}

// say stores an answer of the AI.
func (m *memory) say(session, text string) {
	m.mu.Lock()
	answer := &domain.Message{
		ID: fmt.Sprintf("msg_%d", len(m.messages)), SessionID: session, Sender: domain.SenderAI, Status: domain.MessageStored,
		RoundID: m.sessions[session].State.RoundID, AI: &domain.AIMessage{PreText: text}, Timestamp: clock.System(),
	}
	m.messages = append(m.messages, answer)
	m.mu.Unlock()
	m.publish(session, &domain.LogEvent{Type: domain.LogMessageCreated, Message: answer})
}

// answer ends the round of a session with an answer.
func (m *memory) answer(session, text string) {
	m.say(session, text)
	m.enter(session, domain.Idle)
}

// ask lets a session wait for a person.
func (m *memory) ask(session string) {
	m.mu.Lock()
	a := &domain.Approval{ID: "apr_1", SessionID: session, Kind: domain.ApprovalBudget, Status: domain.ApprovalStatusOpen, Text: "More?"}
	m.approvals = append(m.approvals, a)
	m.sessions[session].State.Waiting = &domain.WaitingContext{ApprovalID: a.ID}
	m.mu.Unlock()
	m.publish(session, &domain.LogEvent{Type: domain.LogApprovalRequested, Approval: a})
	m.enter(session, domain.WaitingBudget)
}

// remove deletes a session with its messages.
func (m *memory) remove(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, session)
	m.messages = slices.DeleteFunc(m.messages, func(of *domain.Message) bool { return of.SessionID == session })
}

func (m *memory) newSession() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := fmt.Sprintf("ses_%032d", m.made)
	m.made++
	m.sessions[id] = &domain.Session{ID: id, WorkspaceID: inWorkspace, Type: domain.Chat, Phase: domain.Idle, HoldsSlot: true}
	return id
}

// sent returns the texts of the user in a session.
func (m *memory) sent(session string) (texts []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, of := range m.messages {
		if of.SessionID == session && of.Sender == domain.SenderUser {
			texts = append(texts, of.Rich.Words())
		}
	}
	return texts
}

func (m *memory) CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error) {
	if in.ExternalID != "" {
		if s, _ := m.SessionByExternalID(ctx, ws, in.ExternalID); s != nil {
			return &domain.Receipt{Session: s}, nil
		}
	}
	id := m.newSession()
	if in.ID != "" {
		m.sessions[in.ID] = m.sessions[id]
		delete(m.sessions, id)
		id, m.sessions[in.ID].ID = in.ID, in.ID
	}
	m.sessions[id].ExternalID, m.earlier = in.ExternalID, in.Earlier
	receipt, err := m.SendMessage(ctx, ws, id, *in.Message)
	if err == nil {
		receipt.Created = true
	}
	return receipt, err
}

func (m *memory) SendMessage(_ context.Context, _, session string, in domain.NewMessage) (*domain.Receipt, error) {
	m.mu.Lock()
	s := m.sessions[session]
	if s == nil {
		m.mu.Unlock()
		return nil, domain.NotFound("session")
	}
	for _, h := range m.histories {
		if h.Hash == in.History.Hash && h.Number == in.History.Number {
			m.mu.Unlock()
			return nil, domain.Errorf(domain.CodeConflict, "The message is there.")
		}
	}
	n := len(m.messages)
	said := &domain.Message{
		ID: fmt.Sprintf("msg_%d", n), SessionID: session, RoundID: fmt.Sprintf("rnd_%d", n), Sender: domain.SenderUser,
		Status: domain.MessageStored, Rich: &in.Rich, Timestamp: clock.System(),
	}
	if m.queues {
		now := clock.System()
		said.RoundID, said.Status, s.QueuedAt = "", domain.MessageQueued, &now
	} else {
		s.State.RoundID = said.RoundID
	}
	m.messages = append(m.messages, said)
	m.histories = append(m.histories, domain.KnownHistory{HistoryKey: *in.History, SessionID: session, MessageID: said.ID})
	conflict := m.conflicts > 0
	m.conflicts = max(0, m.conflicts-1)
	m.mu.Unlock()
	seq := m.publish(session, &domain.LogEvent{Type: domain.LogMessageCreated, Message: said})
	if !m.queues {
		m.enter(session, domain.CallingAI)
	}
	if conflict { // another request stored it
		return nil, domain.Errorf(domain.CodeConflict, "Another request is stored.")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at, of := *s, *said
	return &domain.Receipt{Session: &at, Message: &of, Seq: seq}, nil
}

func (m *memory) KnownHistories(_ context.Context, _ string, hashes [2]string) (known []domain.KnownHistory, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range slices.Backward(m.histories) {
		if slices.Contains(hashes[:], h.Hash) {
			h.Newest = true
			known = append(known, h)
		}
	}
	return known, nil
}

func (m *memory) Session(_ context.Context, _, id string) (*domain.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[id]; s != nil {
		copied := *s
		return &copied, nil
	}
	return nil, domain.NotFound("session")
}

func (m *memory) SessionByExternalID(_ context.Context, _, name string) (*domain.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		if s.ExternalID == name {
			copied := *s
			return &copied, nil
		}
	}
	return nil, domain.NotFound("session")
}

func (m *memory) Message(_ context.Context, _, session, id string) (*domain.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	for _, of := range m.messages {
		if of.SessionID == session && of.ID == id {
			copied := *of
			return &copied, nil
		}
	}
	return nil, domain.NotFound("message")
}

func (m *memory) Messages(_ context.Context, _, session string, after int64, _ int) (out []*domain.Message, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, of := range m.messages {
		if of.SessionID == session && of.Seq > after {
			out = append(out, of)
		}
	}
	return out, nil
}

// MessagePage gives two messages at a time.
func (m *memory) MessagePage(_ context.Context, s *domain.Session, cursor string, _ int, latest bool) ([]*domain.Message, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*domain.Message
	for _, of := range m.messages {
		if of.SessionID == s.ID {
			all = append(all, of)
		}
	}
	if latest {
		slices.Reverse(all)
	}
	from := 0
	_, _ = fmt.Sscan(cursor, &from)
	if to := from + 2; to < len(all) {
		return all[from:to], fmt.Sprint(to), nil
	}
	return all[min(from, len(all)):], "", nil
}

func (m *memory) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.approvals {
		if a.ID == id {
			return a, nil
		}
	}
	return nil, domain.NotFound("approval")
}

func (m *memory) Approvals(_ context.Context, _ string, f domain.ApprovalFilter) (out []*domain.Approval, next string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.approvals {
		if a.SessionID == f.SessionID && a.Status == f.Status {
			out = append(out, a)
		}
	}
	return out, "", nil
}

// AnswerApproval settles an approval.
func (m *memory) AnswerApproval(_ context.Context, _, id string, d domain.Decision) (*domain.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.approvals {
		if a.ID == id {
			a.Status, a.SettledBy = domain.ApprovalStatusApproved, d.By.Name
			return &domain.Receipt{}, nil
		}
	}
	return nil, domain.NotFound("approval")
}

// Events implements stream.Log.
func (m *memory) Events(_ context.Context, _, session string, after int64, size domain.PageSize) (out []*domain.LogEvent, more bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.log {
		if e.Seq <= after || e.SessionID != session {
			continue
		}
		if len(out) == size.Rows {
			return out, true, nil
		}
		out = append(out, &domain.LogEvent{
			Seq: e.Seq, SessionSeq: e.SessionSeq, WorkspaceID: e.WorkspaceID, SessionID: e.SessionID, Type: e.Type, Data: e.Data,
		})
	}
	return out, false, nil
}

// EventBounds implements stream.Log.
func (m *memory) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return min(1, int64(len(m.log))), int64(len(m.log)), nil
}

// rest is longer than text is collected before it is sent.
const rest = 100 * time.Millisecond
