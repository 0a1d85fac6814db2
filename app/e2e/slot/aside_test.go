package slot

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// slowModel answers every call after a while, and counts the calls and those that were cut.
type slowModel struct {
	url        string
	calls, cut atomic.Int64
	called     chan struct{} // receives once for each call
	gate       chan struct{} // closed when the answers may be sent
}

// await waits until so many calls were made.
func (m *slowModel) await(t *testing.T, calls int) {
	t.Helper()
	deadline := time.After(harness.Patience)
	for range calls {
		select {
		case <-m.called:
		case <-deadline:
			t.Fatalf("%d calls were made, not %d", m.calls.Load(), calls)
		}
	}
}

func newSlowModel(t *testing.T, answer func(body string) string) *slowModel {
	t.Helper()
	m := &slowModel{called: make(chan struct{}, 100), gate: make(chan struct{})}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m.calls.Add(1)
		m.called <- struct{}{}
		select {
		case <-m.gate:
		case <-r.Context().Done():
			m.cut.Add(1)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":%s}],
			"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, answer(string(body)))
	}))
	t.Cleanup(s.Close)
	m.url = s.URL
	return m
}

// TestFiveChatsAtOnce verifies that the chats of one lane, started one right after the other, all make their calls, of
// which none is cut, and that each answer is stored when it comes.
func TestFiveChatsAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		m := newSlowModel(t, func(string) string { return `{"role":"assistant","content":"Hello."}` })
		s.Configured("slow", m.url, true)
		var chats []string
		for range 5 {
			chats = append(chats, s.Chat())
		}
		for i, chat := range chats {
			s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": fmt.Sprint("message ", i)}).Want(202)
		}
		m.await(t, 5)
		s.Sound()
		close(m.gate)
		for _, chat := range chats {
			if s.Settle(chat); s.LastText(chat) != "Hello." {
				t.Errorf("the chat's last message is %q", s.LastText(chat))
			}
		}
		if m.calls.Load() != 5 || m.cut.Load() != 0 {
			t.Errorf("%d calls, %d cut", m.calls.Load(), m.cut.Load())
		}
		s.Sound()
	})
}

// TestAnswersThatActWaitForTheSlot verifies that an answer that came without the slot is acted on once its session has the
// slot again, and that no call is made twice for that.
func TestAnswersThatActWaitForTheSlot(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		m := newSlowModel(t, func(body string) string {
			if strings.Contains(body, `"role":"tool"`) {
				return `{"role":"assistant","content":"Made."}`
			}
			name := body[strings.LastIndex(body, "make ")+len("make "):][:1]
			return `{"role":"assistant","content":"","tool_calls":[{"id":"t","type":"function","function":{"name":"CREATE_ZONE",
				"arguments":"{\"name\":\"Zone ` + name + `\"}"}}]}`
		})
		s.Configured("slow", m.url, true)
		var chats []string
		for i := range 4 {
			chats = append(chats, s.Chat())
			s.Call("POST", "/v1/sessions/"+chats[i]+"/messages", map[string]any{"text": fmt.Sprint("make ", i)}).Want(202)
		}
		m.await(t, 4)
		close(m.gate)
		for _, chat := range chats {
			if s.Settle(chat); s.LastText(chat) != "Made." {
				t.Errorf("the chat's last message is %q", s.LastText(chat))
			}
		}
		if m.calls.Load() != 8 || m.cut.Load() != 0 {
			t.Errorf("%d calls, %d cut", m.calls.Load(), m.cut.Load())
		}
		if zones := s.Call("GET", "/v1/zones", nil).Want(200).List("data"); len(zones) != 4 {
			t.Errorf("%d zones were made", len(zones))
		}
		s.Sound()
	})
}
