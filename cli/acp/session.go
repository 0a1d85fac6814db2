package acp

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/fermata-dev/fermata/api"
)

// session is one that the editor has open. It is followed for as long: what others say and
// answer in it is told too.
type session struct {
	*Agent

	id      string
	stop    context.CancelCauseFunc
	stopped chan struct{}

	// mu guards what follows. It is held while a prompt is on its way: what comes of it is told
	// when it is known which message it is.
	mu            sync.Mutex
	updates       *updater
	openRequests  map[string]context.CancelFunc // what the person is asked, by its approval
	question      string                        // the approval that the next prompt answers
	contextWindow int64                         // of the model, in tokens; 0: not known
	unnamed       bool                          // it is called by its first prompt
	round         round

	promptsMu sync.Mutex // of prompts, which are looked at while one is on its way
	prompts   []*prompt
}

// round is what is known of the round that goes on, for the answer to its prompt.
type round struct {
	id      string
	reason  string // why it stopped, if not at its end
	failure *failure
	usage   api.Usage
}

// follow tells the editor what happens, until the session is closed here.
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

// take tells one event.
func (s *session) handle(ctx context.Context, e Event) error {
	switch e.Name {
	case "snapshot":
		return s.catchUpMissed(ctx, e)
	case "session.phase":
		return decode(e, func(d *api.SessionPhaseData) { s.updateStatus(e.ID, d.Status) })
	case "session.status", "session.ended":
		var found *api.Session
		if err := decode(e, func(d *api.SessionStatusChangedData) { found = &d.Session }); err != nil {
			return err
		}
		s.updateStatus(e.ID, found.Status)
		return s.askOpenApprovals(ctx, found)
	case "message.created", "message.updated":
		return decode(e, func(d *api.MessageCreatedData) { s.message(e.ID, &d.Message) })
	case "message.deleted":
		return decode(e, func(d *api.MessageDeletedData) { s.messageDeleted(d) })
	case "message.delta":
		return decode(e, func(d *api.MessageDeltaData) { s.updates.delta(string(d.Kind), d.MessageID, d.Offset, d.Text) })
	case "message.snapshot":
		return decode(e, func(d *api.MessageSnapshotData) { s.updates.delta(string(d.Kind), d.MessageID, 0, d.Text) })
	case "command.planned", "command.started", "command.ended":
		return decode(e, func(d *api.CommandPlannedData) { s.updates.command(&d.Execution) })
	case "approval.requested":
		return decode(e, func(d *api.ApprovalRequestedData) { s.askPerson(ctx, &d.Approval) })
	case "approval.settled":
		return decode(e, func(d *api.ApprovalSettledData) { s.approvalSettled(&d.Approval) })
	case "usage.updated":
		return decode(e, func(d *api.UsageUpdatedData) {
			s.round.addUsage(d.Roundtrip.Usage)
			s.updates.usage(&d.Roundtrip, s.contextWindow)
		})
	}
	return nil
}

// message tells one that was stored, or has come to its place.
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

// note takes from a message what the answer to the prompt says of its round.
func (r *round) addMessage(m *api.Message) {
	if id := deref(m.RoundID); id != "" && id != r.id {
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

func (r *round) addUsage(u api.Usage) {
	r.usage.InputTokens += u.InputTokens
	r.usage.OutputTokens += u.OutputTokens
	r.usage.CacheReadTokens += u.CacheReadTokens
	r.usage.CacheWriteTokens += u.CacheWriteTokens
	r.usage.ReasoningTokens += u.ReasoningTokens
	if u.Cost == nil {
		return
	}
	sum := *u.Cost
	if r.usage.Cost != nil {
		sum.Amount += r.usage.Cost.Amount
	}
	r.usage.Cost = &sum
}

// stands takes where the session has come to.
func (s *session) updateStatus(seq int64, status api.SessionStatus) {
	if status != "requires_action" {
		for id, taken := range s.openRequests { // answered elsewhere, or no longer of use
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

// missed reads what happened while the events of it are gone.
func (s *session) catchUpMissed(ctx context.Context, e Event) error {
	var found *api.Session
	if err := decode(e, func(d *api.SessionSnapshotData) { found = &d.Session }); err != nil {
		return err
	}
	if err := s.catchUp(ctx, true); err != nil {
		return err
	}
	s.updateStatus(e.ID, found.Status)
	return s.askOpenApprovals(ctx, found)
}

// catchUp tells the messages that were not told yet; tell false passes over them.
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
