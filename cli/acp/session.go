package acp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/fermata-dev/fermata/api"
)

// session is a session that the editor has open. It is followed until it is closed, so that the
// editor also gets the messages and answers of other clients.
type session struct {
	*Agent

	id      string
	stop    context.CancelCauseFunc
	stopped chan struct{}

	// mu guards the fields below. It is held while a prompt is sent, so that its events are handled
	// after the id of its message is known.
	mu            sync.Mutex
	updates       *updater
	openRequests  map[string]context.CancelFunc // cancel the open requests, by the id of their approval
	question      string                        // id of the approval that the next prompt answers
	contextWindow int64                         // in tokens; 0: unknown
	unnamed       bool                          // named after its first prompt
	round         round

	promptsMu sync.Mutex // guards prompts, which are read while one is sent
	prompts   []*prompt
}

// round is the state of the round in progress, for the response to its prompt.
type round struct {
	id      string
	reason  string // stop reason; "" for end_turn
	failure *failure
	usage   api.Usage
}

// follow sends the events to the editor until the session is closed.
func (s *session) follow(ctx context.Context, found *api.Session) {
	defer close(s.stopped)
	s.mu.Lock()
	err := s.askOpenApprovals(ctx, found)
	s.mu.Unlock()
	if err == nil {
		err = s.Server.Follow(ctx, s.id, found.LastSeq, func(e Event) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.handle(ctx, e)
		})
	}
	if ctx.Err() == nil {
		s.Log("the session %s is no longer followed: %v", s.id, err)
	}
	s.Agent.mu.Lock()
	if s.sessions[s.id] == s {
		delete(s.sessions, s.id)
	}
	s.Agent.mu.Unlock()
	for _, p := range s.pendingPrompts() {
		if p.cancelled.Load() {
			s.finish(p, outcome{reason: "cancelled"})
		} else {
			s.finish(p, outcome{err: err})
		}
	}
}

// handle handles one event.
func (s *session) handle(ctx context.Context, sent Event) error {
	e, err := api.DecodeEvent(sent.Name, sent.Data)
	if err != nil {
		return fmt.Errorf("another version of fermata may have sent it: %w", err)
	}
	switch {
	case e.Name == "snapshot":
		return s.catchUpMissed(ctx, sent.ID, e.Session)
	case e.Phase != nil:
		s.updateStatus(sent.ID, e.Phase.Status)
	case e.Name == "session.created": // the session is open already
	case e.Session != nil:
		s.updateStatus(sent.ID, e.Session.Status)
		return s.askOpenApprovals(ctx, e.Session)
	case e.Name == "message.deleted":
		s.messageDeleted(e.Message)
	case e.Message != nil:
		s.message(sent.ID, e.Message)
	case e.Name == "message.snapshot":
		s.updates.delta(string(e.Text.Kind), e.Text.MessageID, 0, e.Text.Text)
	case e.Text != nil:
		s.updates.delta(string(e.Text.Kind), e.Text.MessageID, e.Text.Offset, e.Text.Text)
	case e.Execution != nil:
		s.updates.command(e.Execution)
	case e.Name == "approval.requested":
		s.askPerson(ctx, e.Approval)
	case e.Approval != nil:
		s.approvalSettled(e.Approval)
	case e.Roundtrip != nil:
		s.round.usage.Add(e.Roundtrip.Usage)
		s.updates.usage(e.Roundtrip, s.contextWindow)
	}
	return nil
}

// message handles a message that was stored, or has left the queue.
func (s *session) message(seq int64, m *api.Message) {
	if m.Seq == nil {
		return
	}
	for _, p := range s.pendingPrompts() {
		if p.message == m.ID && !p.placed {
			p.placed, p.after = true, seq
		}
	}
	s.round.addMessage(m)
	s.updates.message(m)
}

// addMessage updates the state from a message of the round.
func (r *round) addMessage(m *api.Message) {
	if id := api.Value(m.RoundID); id != "" && id != r.id {
		*r = round{id: id}
	}
	switch {
	case m.Sender == "AI" && m.Status == "interrupted" && (m.AiRaw == nil || m.AiRaw.StopReason == ""):
		r.reason, r.failure = "cancelled", nil
	case m.Sender == "AI":
		r.reason, r.failure = "", nil
		if m.AiRaw != nil {
			r.reason = map[string]string{"length": "max_tokens", "unknown": "max_tokens", "refused": "refusal"}[m.AiRaw.StopReason]
		}
	case m.SystemMessage == nil:
	case m.SystemMessage.Type == api.SystemNetworkError:
		r.failure = newFailure(codeInternal, "provider_failed", "%s", m.SystemMessage.Why())
	case m.SystemMessage.Type == api.SystemLimitReached:
		r.reason = "max_turn_requests"
	}
}

// updateStatus records the session's new status.
func (s *session) updateStatus(seq int64, status api.SessionStatus) {
	if status != "requires_action" {
		for id, taken := range s.openRequests { // answered elsewhere, or cancelled
			taken()
			delete(s.openRequests, id)
		}
		s.question = ""
	}
	if status != api.StatusIdle && status != api.StatusEnded {
		return
	}
	for _, p := range s.pendingPrompts() {
		if p.placed && seq > p.after {
			s.finish(p, s.outcome(p))
		}
	}
	s.updates.text.Reset()
	s.updates.reasoning.Reset()
}

// catchUpMissed reads the messages whose events are no longer available.
func (s *session) catchUpMissed(ctx context.Context, seq int64, found *api.Session) error {
	if err := s.catchUp(ctx, true); err != nil {
		return err
	}
	s.updateStatus(seq, found.Status)
	return s.askOpenApprovals(ctx, found)
}

// catchUp sends the messages that the editor does not have; without replay it skips them.
func (s *session) catchUp(ctx context.Context, replay bool) error {
	if !replay {
		var page api.MessageList
		if err := s.Server.Insist(ctx, http.MethodGet, sessionPath(s.id)+"/messages?order=desc&limit=1", nil, &page); err != nil {
			return err
		}
		for i := range page.Data {
			if seq := page.Data[i].Seq; seq != nil {
				s.updates.lastSeq = max(s.updates.lastSeq, *seq)
			}
		}
		return nil
	}
	for {
		var page api.MessageList
		path := sessionPath(s.id) + "/messages?limit=200&after=" + strconv.FormatInt(s.updates.lastSeq, 10)
		if err := s.Server.Insist(ctx, http.MethodGet, path, nil, &page); err != nil {
			return err
		}
		for i := range page.Data {
			s.message(0, &page.Data[i])
		}
		if page.NextCursor == nil || len(page.Data) == 0 {
			return nil
		}
	}
}
