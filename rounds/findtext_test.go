package rounds

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/domain"
)

// saying sends a message, and returns where it is and the code of the error.
func (m *memory) saying(t *testing.T, caller string, in TextMessage) (Found, domain.Code) {
	t.Helper()
	in.Protocol = "p"
	r := m.round(caller)
	defer r.Close()
	if err := r.FindText(t.Context(), in); err != nil {
		return r.Found, domain.ErrorCode(err)
	}
	return r.Found, ""
}

// The same first message of one caller is one session while its round is in progress, and another one
// afterwards.
func TestTheFirstMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		first, _ := m.saying(t, "a", TextMessage{Text: "Hello"})
		again, _ := m.saying(t, "a", TextMessage{Text: "Hello"})
		if first.Repeated || !again.Repeated || again.Session != first.Session || again.Message != first.Message {
			t.Errorf("the first is %+v, and the same again %+v", first, again)
		}
		for _, other := range []struct{ caller, text string }{{"b", "Hello"}, {"a", "Hello!"}} {
			if at, _ := m.saying(t, other.caller, TextMessage{Text: other.text}); at.Repeated || at.Session == first.Session {
				t.Errorf("%q of %s is %+v", other.text, other.caller, at)
			}
		}
		m.answer(first.Session, "Yes.")
		second, _ := m.saying(t, "a", TextMessage{Text: "Hello"})
		if second.Repeated || second.Session == first.Session {
			t.Errorf("after the answer it is %+v", second)
		}
		m.remove(second.Session)
		if third, code := m.saying(t, "a", TextMessage{Text: "Hello"}); third.Repeated || code != "" || third.Session == second.Session {
			t.Errorf("after its session was deleted it is %+v, %s", third, code)
		}
	})
}

// In a session the same text is the same message while its round is in progress. A concurrent request is
// found although the latest message was read before it was stored.
func TestTheNextMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		chat := m.newSession()
		first, _ := m.saying(t, "a", TextMessage{Session: chat, Text: "One"})
		again, _ := m.saying(t, "b", TextMessage{Session: chat, Text: "One"})
		if first.Repeated || !again.Repeated || again.Message != first.Message {
			t.Errorf("the first is %+v, and the same again %+v", first, again)
		}
		m.say(chat, "First.")
		m.say(chat, "Second.")
		m.answer(chat, "Third.")
		next, _ := m.saying(t, "a", TextMessage{Session: chat, Text: "One"})
		if next.Repeated || next.Message == first.Message {
			t.Errorf("after the answer it is %+v", next)
		}
		m.answer(chat, "Yes.")
		m.conflicts = 1
		raced, code := m.saying(t, "a", TextMessage{Session: chat, Text: "Two"})
		if !raced.Repeated || code != "" {
			t.Errorf("with a concurrent request it is %+v, %s", raced, code)
		}
		if got := m.sent(chat); !slices.Equal(got, []string{"One", "One", "Two"}) {
			t.Errorf("stored are %q", got)
		}
		if _, code := m.saying(t, "a", TextMessage{Session: "ses_1", Text: "One"}); code != domain.CodeNotFound {
			t.Errorf("in no session it is %s", code)
		}
	})
}

// A message that another request stored since the latest one was read is found by what precedes both.
func TestAMessageStoredMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		chat := m.newSession()
		m.histories = []domain.KnownHistory{{
			HistoryKey: domain.HistoryKey{Hash: Hash("p next", chat, "", "One")}, SessionID: chat, MessageID: "msg_other",
		}}
		if at, _ := m.saying(t, "a", TextMessage{Session: chat, Text: "One"}); !at.Repeated || at.Message != "msg_other" {
			t.Errorf("it is %+v", at)
		}
		if got := m.sent(chat); len(got) > 0 {
			t.Errorf("stored are %q", got)
		}
	})
}

// An idempotency key finds its message for as long as its session exists, of one caller and in one session.
func TestAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		first, _ := m.saying(t, "a", TextMessage{Text: "Hello", Key: "k"})
		m.answer(first.Session, "Yes.")
		if again, _ := m.saying(t, "a", TextMessage{Text: "Hello", Key: "k"}); !again.Repeated || again.Message != first.Message {
			t.Errorf("the same again is %+v", again)
		}
		if _, code := m.saying(t, "a", TextMessage{Text: "Goodbye", Key: "k"}); code != codeMismatch {
			t.Errorf("another text with the key is %q", code)
		}
		if other, _ := m.saying(t, "b", TextMessage{Text: "Hello", Key: "k"}); other.Repeated {
			t.Errorf("the key of another caller is %+v", other)
		}
		if next, _ := m.saying(t, "a", TextMessage{Session: first.Session, Text: "Hello", Key: "k"}); next.Repeated || next.Session != first.Session {
			t.Errorf("the key in the session is %+v", next)
		}
		m.remove(first.Session)
		if _, code := m.saying(t, "a", TextMessage{Text: "Hello", Key: "k"}); code != domain.CodeNotFound {
			t.Errorf("after its session was deleted it is %q", code)
		}
		if _, code := m.saying(t, "a", TextMessage{Session: "ses_1", Text: "Hello", Key: "k"}); code != domain.CodeNotFound {
			t.Errorf("in no session it is %q", code)
		}
	})
}
