package rounds

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// asking begins a round in a session, of which the result is asked for.
func (m *memory) asking(t *testing.T, session string) *Round {
	t.Helper()
	r := m.round("a")
	r.ResultOnly = true
	if err := r.FindText(t.Context(), TextMessage{Protocol: "p", Session: session, Text: "Hello"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// result waits for at most a minute, and counts the beats of every ten seconds.
func (m *memory) result(ctx context.Context, r *Round) (at *Progress, took time.Duration, beats int, err error) {
	begun := clock.System()
	at, err = r.Result(ctx, Patience{Limit: time.Minute, Interval: 10 * time.Second, Beat: func() { beats++ }})
	return at, clock.System().Sub(begun), beats, err
}

// A round that ends normally need not be read: its events have its result.
func TestAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		chat := m.newSession()
		r := m.asking(t, chat)
		m.reads = 0
		go func() {
			time.Sleep(25 * time.Second)
			m.say(chat, "One.")
			time.Sleep(rest)
			m.answer(chat, "Two.")
		}()
		at, took, beats, err := m.result(t.Context(), r)
		if err != nil || at.State != Completed || at.Text != "One.\n\nTwo." || took > 26*time.Second || beats != 2 {
			t.Errorf("after %v and %d beats it is %+v: %v", took, beats, at, err)
		}
		if m.reads > 0 {
			t.Errorf("its message was read %d times", m.reads)
		}
	})
}

// A message that waits behind others has a result, and a round that waits for a person; and so have those
// that are asked for again.
func TestAResultThatIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		queues bool
		do     func(m *memory, chat string)
		want   Progress
	}{
		"a person is asked": {false, func(m *memory, chat string) { m.say(chat, "May I?"); m.ask(chat) }, Progress{State: InputRequired, Text: "May I?"}},
		"the session ends":  {false, func(m *memory, chat string) { m.say(chat, "Bye."); m.enter(chat, domain.Completed) }, Progress{State: Completed, Text: "Bye."}},
		"it waits": {true, func(m *memory, chat string) {
			m.mu.Lock()
			said, s := m.messages[0], m.sessions[chat]
			said.RoundID, said.Status = "rnd_0", domain.MessageStored
			s.QueuedAt, s.State.RoundID = nil, said.RoundID
			m.mu.Unlock()
			m.publish(chat, &domain.LogEvent{Type: domain.LogMessageUpdated, Message: said})
			m.enter(chat, domain.CallingAI)
			m.answer(chat, "Now.")
		}, Progress{State: Completed, Text: "Now."}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory(t)
				m.queues = c.queues
				chat := m.newSession()
				r := m.asking(t, chat)
				go func() {
					time.Sleep(time.Second)
					c.do(m, chat)
				}()
				at, took, _, err := m.result(t.Context(), r)
				if err != nil || at.State != c.want.State || at.Text != c.want.Text || took > 2*time.Second {
					t.Errorf("after %v it is %+v: %v", took, at, err)
				}
				again := m.round("a")
				again.ResultOnly, again.Found = true, Found{Session: chat, Message: r.Found.Message}
				defer again.Close()
				if at, took, _, err = m.result(t.Context(), again); err != nil || at.State != c.want.State || at.Text != c.want.Text || took != 0 {
					t.Errorf("again, after %v, it is %+v: %v", took, at, err)
				}
			})
		})
	}
}

// A run has a result, which is its latest answer.
func TestAResultOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		run := m.newSession()
		m.sessions[run].Type, m.sessions[run].Phase = domain.Run, domain.CallingAI
		r := m.round("a")
		r.ResultOnly, r.Found = true, Found{Session: run}
		defer r.Close()
		go func() {
			time.Sleep(time.Second)
			m.say(run, "One.")
			m.say(run, "Two.")
			m.enter(run, domain.Completed)
		}()
		at, _, _, err := m.result(t.Context(), r)
		if err != nil || at.State != Completed || at.Text != "Two." || at.Message != nil {
			t.Errorf("it is %+v: %v", at, err)
		}
	})
}

// A caller who waits long enough has what was said so far; one who has gone has nothing to wait for, and one
// who lost access is refused.
func TestTheEndOfPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		chat := m.newSession()
		r := m.asking(t, chat)
		go func() {
			time.Sleep(time.Second)
			m.say(chat, "So far.")
		}()
		at, took, beats, err := m.result(t.Context(), r)
		if err != nil || at.State != Working || at.Text != "So far." || took != time.Minute || beats < 5 {
			t.Errorf("after %v and %d beats it is %+v: %v", took, beats, at, err)
		}
		gone, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if at, took, _, err = m.result(gone, m.asking(t, chat)); err != nil || at.State != Working || took != time.Second {
			t.Errorf("for who has gone, after %v, it is %+v: %v", took, at, err)
		}
		m.revoked = true
		if _, took, beats, err = m.result(t.Context(), m.asking(t, chat)); domain.ErrorCode(err) != domain.CodeForbidden || took != 10*time.Second || beats != 0 {
			t.Errorf("without access, after %v and %d beats: %v", took, beats, err)
		}
	})
}
