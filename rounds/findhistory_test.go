package rounds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Workspace allows approvals to be answered by text.
func (m *memory) Workspace(context.Context, string) (*domain.Workspace, error) {
	settings := domain.DefaultSettings()
	settings.ApproveByText = true
	return &domain.Workspace{ID: inWorkspace, Settings: settings}, nil
}

// UpdateSession changes the provider.
func (m *memory) UpdateSession(_ context.Context, _, session string, patch domain.SessionPatch) (*domain.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[session].ProviderID = *patch.ProviderID
	return &domain.Receipt{}, nil
}

// ForkSession creates a session with another message.
func (m *memory) ForkSession(ctx context.Context, ws, _ string, in domain.NewFork) (*domain.Receipt, error) {
	return m.CreateSession(ctx, ws, domain.NewSession{ID: in.ID, Message: in.Message})
}

// AnswerByText settles an approval with a message of its round.
func (m *memory) AnswerByText(ctx context.Context, ws, approval string, d domain.Decision, said domain.NewMessage) (*domain.Receipt, error) {
	a, err := m.Approval(ctx, ws, approval)
	if err != nil {
		return nil, err
	}
	if _, err := m.AnswerApproval(ctx, ws, approval, d); err != nil {
		return nil, err
	}
	return m.SendMessage(ctx, ws, a.SessionID, said)
}

// RetrySession calls the AI again, in a new round.
func (m *memory) RetrySession(_ context.Context, _, session string, _ domain.RetryRequest) (*domain.Receipt, error) {
	m.mu.Lock()
	m.retries++
	m.sessions[session].State.RoundID = fmt.Sprint("rnd_retry_", m.retries)
	m.mu.Unlock()
	m.enterBy(session, domain.CallingAI, domain.RoundRequested{}.Name())
	return &domain.Receipt{}, nil
}

// history returns a history: the messages of the user and the answers, in turn.
func history(scope Scope, texts ...string) *History {
	h := &History{Scope: scope}
	for i, text := range texts {
		switch last := i == len(texts)-1; {
		case last:
			h.Pieces = []Piece{{Text: text}}
		case i%2 == 0:
			h.Before = append(h.Before, Exchange{User: text})
		default:
			h.AddAnswer(text)
		}
	}
	return h
}

// continuing sends the last message of a history, and returns where it is.
func (m *memory) continuing(t *testing.T, h *History) Found {
	t.Helper()
	r := m.round("a")
	defer r.Close()
	if err := r.FindHistory(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return r.Found
}

// A client without ids of messages is recognized by what it sends: the session whose record has its history
// continues, and a request that is repeated is found.
func TestAHistoryIsContinued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		first := m.continuing(t, history(Scope{}, "Hello"))
		if first.Repeated || first.NewSession != reasonNew {
			t.Errorf("the first message is %+v", first)
		}
		if again := m.continuing(t, history(Scope{}, "Hello")); !again.Repeated || again.Message != first.Message || again.NewSession != "" {
			t.Errorf("the first message again is %+v", again)
		}
		m.answer(first.Session, "Good day.")
		for held, fits := range map[string]bool{"Good day.": true, "Good": true, "Good day.\n\nGood day.": true, "Good morning.": false} {
			m := newMemory(t)
			first := m.continuing(t, history(Scope{}, "Hello"))
			m.answer(first.Session, "Good day.")
			next := m.continuing(t, history(Scope{}, "Hello", held, "How are you?"))
			if fits != (next.Session == first.Session) || fits != (next.NewSession == "") {
				t.Errorf("with the answer %q the next message is %+v", held, next)
			}
			if !fits && (next.NewSession != reasonDeparted || next.DepartedFrom != first.Session) {
				t.Errorf("with the answer %q it departs from %+v", held, next)
			}
			if again := m.continuing(t, history(Scope{}, "Hello", held, "How are you?")); again.Message != next.Message {
				t.Errorf("with the answer %q the next message again is %+v", held, again)
			}
		}
	})
}

// People begin with the same text more than once: later it is another session. Another text of instructions
// is another program.
func TestAFirstMessageThatIsSentAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		briefly := history(Scope{}, "Hello")
		briefly.Instructions = "Be brief."
		first := m.continuing(t, briefly)
		m.answer(first.Session, "Good day.")
		if at := m.continuing(t, history(Scope{}, "Hello", "Good day.", "And then?")); at.Session != first.Session {
			t.Errorf("the second message is %+v", at)
		}
		other := history(Scope{}, "Hello")
		other.Instructions = "Be polite."
		if at := m.continuing(t, other); at.Repeated || at.Session == first.Session {
			t.Errorf("with other instructions it is %+v", at)
		}
		time.Sleep(repeatWithin + time.Minute)
		m.answer(first.Session, "Nothing.")
		time.Sleep(repeatWithin + time.Minute)
		if at := m.continuing(t, briefly); at.Repeated {
			t.Errorf("later it is %+v", at)
		}
	})
}

// A history of another server is taken over, with its origin.
func TestAHistoryOfAnotherServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		h := history(Scope{}, "Hello", "Good day.\n\n"+approvalMark+"Waiting for your approval:", "How are you?")
		h.Instructions = "Be brief."
		at := m.continuing(t, h)
		if at.NewSession != reasonUnknown || at.DepartedFrom != "" {
			t.Errorf("it is %+v", at)
		}
		earlier := m.earlier
		if len(earlier) != 2 || earlier[0].Text != "Hello" || earlier[1].Text != "Good day." || earlier[1].From == nil {
			t.Errorf("its history is %+v", earlier)
		}
		if got := m.sent(at.Session); len(got) != 1 || !strings.Contains(got[0], "Be brief.") || !strings.HasSuffix(got[0], "How are you?") {
			t.Errorf("its message is %q", got)
		}
	})
}

// A session that the client names continues if its record has the client's history. With our header the new
// message alone is enough.
func TestASessionThatIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		first := m.continuing(t, history(Scope{Name: "mine", Ours: true}, "Hello"))
		m.answer(first.Session, "Good day.")
		for name, c := range map[string]struct {
			h    *History
			same bool
		}{
			"the message alone":           {history(Scope{Name: "mine", Ours: true}, "One"), true},
			"by its id":                   {history(Scope{Name: first.Session, Ours: true}, "Two"), true},
			"with its history":            {history(Scope{Name: first.Session}, "Hello", "Good day.", "Three"), true},
			"with another history":        {history(Scope{Name: first.Session}, "Hello!", "Good day.", "Four"), false},
			"an edited first message":     {history(Scope{Name: "mine"}, "Five"), false},
			"another name":                {history(Scope{Name: "yours", Ours: true}, "Six"), false},
			"the message alone, repeated": {history(Scope{Name: "mine", Ours: true}, "One"), true},
		} {
			if at := m.continuing(t, c.h); c.same != (at.Session == first.Session) {
				t.Errorf("%s: it is %+v", name, at)
			}
		}
		if got := m.sent(first.Session); len(got) != 4 || !slices.Contains(got, "One") {
			t.Errorf("stored are %q", got)
		}
	})
}

// A message that is yes or no answers the approval that the client was shown, and is an ordinary message
// otherwise.
func TestAnApprovalThatIsAnsweredByText(t *testing.T) {
	for name, c := range map[string]struct {
		held, text string
		answers    bool
	}{
		"shown":                {approvalMark + "Waiting for your approval:\nMore?", "yes", true},
		"after an answer":      {"Hm.\n\n" + approvalMark + "Waiting for your approval:\nMore?", "No.", true},
		"another one":          {approvalMark + "Waiting for your approval:\nLess?", "yes", false},
		"not shown":            {"Hm.", "yes", false},
		"no approval any more": {approvalMark + refusedEnglish + "\nMore?", "yes", false},
		"another text":         {approvalMark + "Waiting for your approval:\nMore?", "yes, please", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory(t)
			first := m.continuing(t, history(Scope{}, "Hello"))
			m.say(first.Session, "Hm.")
			m.ask(first.Session)
			at := m.continuing(t, history(Scope{}, "Hello", c.held, c.text))
			if answered := m.approvals[0].Status != domain.ApprovalStatusOpen; at.Session != first.Session || answered != c.answers {
				t.Errorf("%s: %+v, answered: %v", name, at, answered)
			}
		})
	}
}

// The first message after a round continues its session, and another one forks it.
func TestAMessageAfterARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t)
		first := m.continuing(t, history(Scope{}, "Hello"))
		m.answer(first.Session, "Good day.")
		after := func(text string) Found {
			r := m.round("a")
			defer r.Close()
			r.Provider = "prv_1"
			if err := r.FindAfter(t.Context(), func(ctx context.Context) (Continuation, error) {
				s, message, err := r.StoredMessage(ctx, first.Session, first.Message)
				return Continuation{Session: s, Message: message, Pieces: []Piece{{Text: text}}, Protocol: "p"}, err
			}); err != nil {
				t.Fatal(err)
			}
			return r.Found
		}
		one := after("One")
		if one.Session != first.Session || one.Repeated || m.sessions[first.Session].ProviderID != "prv_1" {
			t.Errorf("the first message is %+v", one)
		}
		m.answer(first.Session, "1")
		if again := after("One"); !again.Repeated || again.Message != one.Message {
			t.Errorf("the first message again is %+v", again)
		}
		if two := after("Two"); two.Session == first.Session || two.NewSession != reasonForked || two.DepartedFrom != first.Session {
			t.Errorf("another message is %+v", two)
		}
	})
}
