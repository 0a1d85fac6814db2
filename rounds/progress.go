// Package standing says how far something has come that a client of another protocol asked
// for: a message's round, or a run. It is read from the record, each time anew, so that doors
// keep nothing.
package rounds

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// State is how something stands.
type State string

// The states, in the words of the Model Context Protocol's tasks.
const (
	Working       State = "working"
	InputRequired State = "input_required"
	Completed     State = "completed"
	Failed        State = "failed"
	Cancelled     State = "cancelled"
)

// Record reads what is kept. What is not there is a domain not_found error.
type Record interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
	// Messages lists those in their place after a number, in order, then those that wait.
	Messages(ctx context.Context, ws, session string, after int64, limit int) ([]*domain.Message, error)
	MessagePage(ctx context.Context, session *domain.Session, cursor string, limit int, latest bool) ([]*domain.Message, string, error)
}

// Approvals lists what people are asked.
type ApprovalLister interface {
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
}

// Reader reads how things stand in a workspace.
type Reader struct {
	Record    Record
	Approvals ApprovalLister
	Workspace string
	// Placed is the message as it was read before. Once it has its place it is not read again: what
	// is asked of it does not change any more.
	LastRead *domain.Message
}

// Standing is how far a message's round, or a run, has come.
type Progress struct {
	Session    *domain.Session
	Message    *domain.Message // nil for a run
	State      State
	Text       string // what the AI said so far
	Failure    string
	Incomplete bool               // it came to its end, and not to the one that was asked for
	Open       []*domain.Approval // what a person is asked
}

// Over says whether nothing more comes of it.
func (s *Progress) Finished() bool { return s.State != Working && s.State != InputRequired }

// maxRound bounds the messages of a round that are read.
const maxRound = 200

// pageRead is what is read of a round at once, as a rule.
const pageRead = domain.PageBytes / 4

// take waits until the request may read a page of the record.
func reserveRead(ctx context.Context) error {
	if stream.RoomOf(ctx).Take(ctx, pageRead) {
		return nil
	}
	return domain.Errorf(domain.CodeUnavailable, "Too much of this key or workspace is under way. What was sent is stored; ask again in a moment.")
}

// Message reads how far a message's round has come.
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
	// After the message: a session that rests now has done with it, and not yet to begin.
	s, err := r.Record.Session(ctx, r.Workspace, session)
	if err != nil {
		return nil, err
	}
	out := &Progress{Session: s, Message: m, State: Working}
	if m.Seq == 0 {
		return out, nil // it waits its turn
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

// Run reads how far a run has come.
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
		if text := VisibleText(m); text != "" {
			out.Text = text
			break
		}
	}
	return out, r.addSessionState(ctx, out)
}

// roundOf are the messages that follow one of the user, and whether another round has begun
// since. What answers a question belongs to the round that asked.
func messagesOfRound(m *domain.Message, after []*domain.Message) (round []*domain.Message, superseded bool) {
	for i, next := range after {
		if next.Sender == domain.SenderUser && next.RoundID != m.RoundID && next.Seq > 0 {
			return after[:i], true
		}
	}
	return after, false
}

// read takes from a round what was said in it.
func (s *Progress) readRound(round []*domain.Message) {
	var said []string
	for _, m := range round {
		if m.Superseded {
			continue
		}
		if text := VisibleText(m); text != "" {
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

// present compares what was read with where the session stands now.
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

// finish: the round is over.
func (s *Progress) setFinished() {
	switch {
	case s.State == Cancelled:
	case s.Failure != "":
		s.State = Failed
	case s.Text == "" && s.Message != nil && s.Session.State.RoundID == s.Message.RoundID:
		s.State = Cancelled // it was cut before a word
	default:
		s.State = Completed
	}
}

// end: the session is over.
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

// Asks reads what the session waits for, or agents of it, unless it is answered already.
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

// maxOpen bounds the approvals of one session that are told at once.
const maxOpenApprovals = 20

// Shown is what a client is shown of a message.
func VisibleText(m *domain.Message) string {
	switch {
	case m.Sender != domain.SenderAI:
		return ""
	case m.AI == nil:
		return m.Text
	case m.AI.PreText == domain.InvalidFormatText:
		return ""
	}
	return m.AI.PreText
}
