package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// States of what was asked for, in the words of the protocol's tasks.
const (
	stateWorking   = "working"
	stateInput     = "input_required"
	stateCompleted = "completed"
	stateFailed    = "failed"
	stateCancelled = "cancelled"
)

// standing is how far a message's round, or a run, has come. It is read from the record, each
// time anew.
type standing struct {
	session *domain.Session
	message *domain.Message // nil for a run
	state   string
	text    string // what the AI said so far
	failure string
	failed  bool               // it came to its end, and not to the one that was asked for
	open    []*domain.Approval // what a person is asked
}

func (s *standing) over() bool { return s.state != stateWorking && s.state != stateInput }

// maxRound bounds the messages of a round that are read.
const maxRound = 200

// stands reads how far a message's round has come.
func (c *call) stands(ctx context.Context, session, message string) (*standing, error) {
	ws := c.who.Workspace
	s, err := c.Record.Session(ctx, ws, session)
	if err != nil {
		return nil, err
	}
	m, err := c.Record.Message(ctx, ws, session, message)
	if err != nil {
		return nil, err
	}
	out := &standing{session: s, message: m, state: stateWorking}
	if m.Seq == 0 {
		return out, nil // it waits its turn
	}
	after, err := c.Record.Messages(ctx, ws, session, m.Seq, maxRound)
	if err != nil {
		return nil, err
	}
	round, passed := roundOf(m, after)
	out.read(round)
	if passed {
		out.finish()
		return out, nil
	}
	return out, c.present(ctx, out)
}

// runStands reads how far a run has come.
func (c *call) runStands(ctx context.Context, session string) (*standing, error) {
	s, err := c.Record.Session(ctx, c.who.Workspace, session)
	if err != nil {
		return nil, err
	}
	latest, _, err := c.Record.MessagePage(ctx, s, "", maxRound, true)
	if err != nil {
		return nil, err
	}
	out := &standing{session: s, state: stateWorking}
	for _, m := range latest {
		if text := shown(m); text != "" {
			out.text = text
			break
		}
	}
	return out, c.present(ctx, out)
}

// roundOf are the messages that follow one of the user, and whether another round has begun
// since. What answers a question belongs to the round that asked.
func roundOf(m *domain.Message, after []*domain.Message) (round []*domain.Message, passed bool) {
	for i, next := range after {
		if next.Sender == domain.SenderUser && next.RoundID != m.RoundID && next.Seq > 0 {
			return after[:i], true
		}
	}
	return after, false
}

// read takes from a round what was said in it.
func (s *standing) read(round []*domain.Message) {
	var said []string
	for _, m := range round {
		if text := shown(m); text != "" {
			said = append(said, text)
		}
		switch {
		case m.Sender == domain.SenderAI && m.Status == domain.MessageInterrupted:
			s.failure, s.state = "", stateCancelled
		case m.Sender == domain.SenderAI:
			s.failure, s.state = "", stateWorking
		case m.System != nil && m.System.Type == domain.SystemNetworkError:
			s.failure = m.System.Summary
		}
	}
	s.text = strings.Join(said, "\n\n")
}

// present compares what was read with where the session stands now.
func (c *call) present(ctx context.Context, s *standing) error {
	switch s.session.Status() {
	case domain.StatusEnded:
		s.end()
	case domain.StatusIdle:
		s.finish()
	case domain.StatusRequiresAction:
		s.state = stateWorking
		return c.asks(ctx, s)
	default:
		s.state = stateWorking
	}
	return nil
}

// finish: the round is over.
func (s *standing) finish() {
	switch {
	case s.state == stateCancelled:
	case s.failure != "":
		s.state = stateFailed
	case s.text == "" && s.message != nil && s.session.State.RoundID == s.message.RoundID:
		s.state = stateCancelled // it was cut before a word
	default:
		s.state = stateCompleted
	}
}

// end: the session is over.
func (s *standing) end() {
	switch s.session.EndReason {
	case domain.EndCompleted:
		s.state = stateCompleted
	case domain.EndCancelled:
		s.state = stateCancelled
	case domain.EndLimitReached, domain.EndTimeout:
		s.state, s.failed, s.failure = stateCompleted, true, "The session ended: "+string(s.session.EndReason)+"."
	default:
		s.state, s.failure = stateFailed, "The session ended: "+string(s.session.EndReason)+"."
	}
}

// asks reads what the session waits for, or agents of it, unless it is answered already.
func (c *call) asks(ctx context.Context, s *standing) error {
	who := []string{s.session.ID}
	if waiting := s.session.State.Waiting; waiting != nil {
		who = append(who, waiting.Agents...)
	}
	for _, session := range who {
		open, _, err := c.Waiting.Approvals(ctx, c.who.Workspace, domain.ApprovalFilter{
			Status: domain.ApprovalStatusOpen, SessionID: session, Limit: maxOpen,
		})
		if err != nil {
			return err
		}
		s.open = append(s.open, open...)
	}
	if len(s.open) > 0 {
		s.state = stateInput
	}
	return nil
}

// maxOpen bounds the approvals of one session that are told at once.
const maxOpen = 20

// shown is what a client is shown of a message.
func shown(m *domain.Message) string {
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

// longest is how long a tool waits for an answer; a client or a proxy may give up at 60 s.
const longest = 50 * time.Second

// beat is how often a client that wants to know is told that it is waited for.
const beat = 10 * time.Second
