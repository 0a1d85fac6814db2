package rounds

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// said is an output that keeps the texts of stored answers.
type said struct {
	Unwritten
	texts []string
	beats int
}

func (s *said) Event(e *api.Event) {
	if e.Message != nil && e.Message.Sender == api.MessageSenderAI {
		s.texts = append(s.texts, e.Message.ShownText())
	}
}

func (s *said) WriteHeartbeat() error {
	s.beats++
	return nil
}

// fail ends the round of a session with an error of the provider.
func (m *memory) fail(session string) {
	m.mu.Lock()
	failure := &domain.Message{
		ID: "msg_failure", SessionID: session, Sender: domain.SenderSystem, Status: domain.MessageStored, Timestamp: clock.System(),
		RoundID: m.sessions[session].State.RoundID, System: &domain.SystemMessage{Type: domain.SystemNetworkError, Summary: "It is down."},
	}
	m.messages = append(m.messages, failure)
	m.mu.Unlock()
	m.publish(session, &domain.LogEvent{Type: domain.LogMessageCreated, Message: failure})
	m.enter(session, domain.Idle)
}

// following follows the round of a history by its events, while the rest of the story happens.
func (m *memory) following(t *testing.T, h *History, then func(session string)) (*said, *Round, error) {
	t.Helper()
	r := m.round("a")
	t.Cleanup(r.Close)
	if err := r.FindHistory(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	var story sync.WaitGroup
	defer story.Wait()
	story.Go(func() {
		time.Sleep(rest)
		then(r.Found.Session)
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	out := &said{}
	err := r.FollowEvents(ctx, out)
	return out, r, err
}

// A request is answered by its round, and again when it is repeated, whatever the session did since.
func TestAFollowedRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		out, r, err := m.following(t, history(Scope{}, "Hello"), func(session string) {
			time.Sleep(2 * heartbeat)
			m.answer(session, "Good day.")
		})
		if err != nil || strings.Join(out.texts, "|") != "Good day." || out.beats != 2 || r.Found.Repeated {
			t.Errorf("it is answered with %q after %d heartbeats: %v", out.texts, out.beats, err)
		}
		next := history(Scope{}, "Hello", "Good day.", "How are you?")
		if out, _, err := m.following(t, next, func(session string) { m.answer(session, "Well.") }); err != nil || out.texts[0] != "Well." {
			t.Errorf("the next message is answered with %q: %v", out.texts, err)
		}
		again, r, err := m.following(t, history(Scope{}, "Hello"), func(string) {})
		if err != nil || strings.Join(again.texts, "|") != "Good day." || !r.Found.Repeated {
			t.Errorf("again it is answered with %q: %v", again.texts, err)
		}
		over, err := r.CurrentEvents(t.Context(), &said{})
		if !over || err != nil {
			t.Errorf("it is over: %v, %v", over, err)
		}
	})
}

// A round that failed is retried once for each request that is repeated.
func TestAFailedRoundThatIsRequestedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		_, _, err := m.following(t, history(Scope{}, "Hello"), m.fail)
		if domain.ErrorCode(err) != domain.CodeProviderFailed || m.retries != 0 {
			t.Errorf("it fails with %v after %d retries", err, m.retries)
		}
		_, _, err = m.following(t, history(Scope{}, "Hello"), m.fail)
		if domain.ErrorCode(err) != domain.CodeProviderFailed || m.retries != 1 {
			t.Errorf("again it fails with %v after %d retries", err, m.retries)
		}
		out, _, err := m.following(t, history(Scope{}, "Hello"), func(session string) { m.answer(session, "Good day.") })
		if err != nil || strings.Join(out.texts, "|") != "Good day." || m.retries != 2 {
			t.Errorf("at last it is answered with %q after %d retries: %v", out.texts, m.retries, err)
		}
	})
}

// A round that waits for a person is answered with the approval, and continues after it.
func TestARoundThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		_, r, err := m.following(t, history(Scope{}, "Hello"), m.ask)
		if err != nil || r.Outcome.Approval == nil || r.Outcome.Approval.ID != "apr_1" {
			t.Errorf("it waits for %+v: %v", r.Outcome.Approval, err)
		}
		if rests, err := r.CurrentEvents(t.Context(), &said{}); !rests || err != nil || r.Outcome.Approval == nil {
			t.Errorf("it rests: %v, %v", rests, err)
		}
		m.approvals[0].Status = domain.ApprovalStatusApproved
		out, r, err := m.following(t, history(Scope{}, "Hello"), func(session string) {
			m.enter(session, domain.CallingAI)
			m.answer(session, "Spent.")
		})
		if err != nil || r.Outcome.Approval != nil || strings.Join(out.texts, "|") != "Spent." {
			t.Errorf("after the answer it is answered with %q: %+v, %v", out.texts, r.Outcome.Approval, err)
		}
	})
}
