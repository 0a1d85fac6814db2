package rounds

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// State is the progress of a round or a run.
type State string

// The states have the names that the Model Context Protocol gives to states of tasks.
const (
	Working       State = "working"
	InputRequired State = "input_required"
	Completed     State = "completed"
	Failed        State = "failed"
	Cancelled     State = "cancelled"
)

// Record reads sessions and messages. Missing ones are domain errors with the code not_found.
type Record interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
	// Messages lists the messages after a sequence number, in order, followed by the queued ones.
	Messages(ctx context.Context, ws, session string, after int64, limit int) ([]*domain.Message, error)
	MessagePage(ctx context.Context, session *domain.Session, cursor string, limit int, latest bool) ([]*domain.Message, string, error)
}

// ApprovalLister lists approvals.
type ApprovalLister interface {
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
}

// Reader reads the progress of rounds and runs of a workspace.
type Reader struct {
	Record    Record
	Approvals ApprovalLister
	Workspace string
	// LastRead is the message as it was read before. A message that has left the queue does not
	// change in any field that is used here, so that it is not read again.
	LastRead *domain.Message
}

// Progress is how far the round of a message, or a run, has come.
type Progress struct {
	Session    *domain.Session
	Message    *domain.Message // nil for a run
	State      State
	Text       string // the text of the AI so far
	Failure    string
	Incomplete bool               // the session ended at a limit or a timeout
	Open       []*domain.Approval // the open approvals and questions
}

// Finished reports whether the round or run is over.
func (s *Progress) Finished() bool { return s.State != Working && s.State != InputRequired }

// maxRound limits the messages that are read of a round.
const maxRound = 200

// pageRead is the memory, in bytes, that reading a round usually takes.
const pageRead = domain.PageBytes / 4

// reserveRead waits until the request may read a page of the record. It returns an error with the
// code unavailable if the memory limit of the caller stays exhausted.
func reserveRead(ctx context.Context) error {
	if stream.RoomOf(ctx).Take(ctx, pageRead) {
		return nil
	}
	return domain.Errorf(domain.CodeUnavailable, "Too much of this key or workspace is under way. What was sent is stored; ask again in a moment.")
}

// Message reads the progress of the round that a message began.
func (r *Reader) Message(ctx context.Context, session, message string) (*Progress, error) {
	if err := reserveRead(ctx); err != nil {
		return nil, err
	}
	m := r.LastRead
	if m == nil || m.ID != message || m.Seq == 0 {
		var err error
		if m, err = r.Record.Message(ctx, r.Workspace, session, message); err != nil {
			return nil, err
		}
	}
	// The session is read after the message: if it is idle now, it has processed the message.
	s, err := r.Record.Session(ctx, r.Workspace, session)
	if err != nil {
		return nil, err
	}
	out := &Progress{Session: s, Message: m, State: Working}
	if m.Seq == 0 {
		return out, nil // it is queued
	}
	after, err := r.Record.Messages(ctx, r.Workspace, session, m.Seq, maxRound)
	if err != nil {
		return nil, err
	}
	round, passed := messagesOfRound(m, after)
	out.readRound(round)
	if passed {
		out.setFinished()
		return out, nil
	}
	return out, r.addSessionState(ctx, out)
}

// Run reads the progress of a run.
func (r *Reader) Run(ctx context.Context, session string) (*Progress, error) {
	if err := reserveRead(ctx); err != nil {
		return nil, err
	}
	s, err := r.Record.Session(ctx, r.Workspace, session)
	if err != nil {
		return nil, err
	}
	latest, _, err := r.Record.MessagePage(ctx, s, "", maxRound, true)
	if err != nil {
		return nil, err
	}
	out := &Progress{Session: s, State: Working}
	for _, m := range latest {
		if text := visibleText(m); text != "" {
			out.Text = text
			break
		}
	}
	return out, r.addSessionState(ctx, out)
}

// messagesOfRound returns the messages after m that belong to its round, and reports whether another
// round has begun since. The answer to a question belongs to the round that asked.
func messagesOfRound(m *domain.Message, after []*domain.Message) (round []*domain.Message, superseded bool) {
	for i, next := range after {
		if next.Sender == domain.SenderUser && next.RoundID != m.RoundID && next.Seq > 0 {
			return after[:i], true
		}
	}
	return after, false
}

// readRound sets the text, the failure and the state from the messages of a round.
func (s *Progress) readRound(round []*domain.Message) {
	var said []string
	for _, m := range round {
		if m.Superseded {
			continue
		}
		if text := visibleText(m); text != "" {
			said = append(said, text)
		}
		switch {
		case m.Sender == domain.SenderAI && m.CutByPerson():
			s.Failure, s.State = "", Cancelled
		case m.Sender == domain.SenderAI:
			s.Failure, s.State = "", Working
		case m.System != nil && m.System.Type == domain.SystemNetworkError:
			s.Failure = m.System.Failure(m.Timestamp).Why()
		}
	}
	s.Text = strings.Join(said, "\n\n")
}

// addSessionState updates the state with that of the session. An idle session has finished the
// round.
func (r *Reader) addSessionState(ctx context.Context, s *Progress) error {
	switch s.Session.Status() {
	case domain.StatusEnded:
		s.setEnded()
	case domain.StatusIdle:
		s.setFinished()
	case domain.StatusRequiresAction:
		s.State = Working
		return r.ReadApprovals(ctx, s)
	default:
		s.State = Working
	}
	return nil
}

// setFinished sets the state of a round that is over.
func (s *Progress) setFinished() {
	switch {
	case s.State == Cancelled:
	case s.Failure != "":
		s.State = Failed
	case s.Text == "" && s.Message != nil && s.Session.State.RoundID == s.Message.RoundID:
		s.State = Cancelled // it was interrupted before any text
	default:
		s.State = Completed
	}
}

// setEnded sets the state of a round whose session has ended.
func (s *Progress) setEnded() {
	switch s.Session.EndReason {
	case domain.EndCompleted:
		s.State = Completed
	case domain.EndCancelled:
		s.State = Cancelled
	case domain.EndLimitReached, domain.EndTimeout:
		s.State, s.Incomplete, s.Failure = Completed, true, "The session ended: "+string(s.Session.EndReason)+"."
	default:
		s.State, s.Failure = Failed, "The session ended: "+string(s.Session.EndReason)+"."
	}
}

// ReadApprovals reads the open approvals of the session and of the agents that it waits for.
func (r *Reader) ReadApprovals(ctx context.Context, s *Progress) error {
	who := []string{s.Session.ID}
	if waiting := s.Session.State.Waiting; waiting != nil {
		who = append(who, waiting.Agents...)
	}
	for _, session := range who {
		open, _, err := r.Approvals.Approvals(ctx, r.Workspace, domain.ApprovalFilter{
			Status: domain.ApprovalStatusOpen, SessionID: session, Limit: maxOpenApprovals,
		})
		if err != nil {
			return err
		}
		s.Open = append(s.Open, open...)
	}
	if len(s.Open) > 0 {
		s.State = InputRequired
	}
	return nil
}

// maxOpenApprovals limits the approvals of one session that are returned.
const maxOpenApprovals = 20

// visibleText returns the text of a message of the AI that clients show; "" for other messages.
func visibleText(m *domain.Message) string {
	if m.Sender != domain.SenderAI {
		return ""
	}
	return api.ShownText(m.Text, m.AI)
}
