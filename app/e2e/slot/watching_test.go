package slot

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// slowWords is an answer that takes its time: a piece every few milliseconds.
var slowWords = strings.TrimSpace(strings.Repeat("wörd ", 150))

func (s *server) slow() {
	s.Scripted(`[{"token_delay_ms": 10, "answer": {"text": "` + slowWords + `"}}]`)
}

// text reads the pieces of an answer from a stream until its message is there, and says
// with which kind of event it began.
func heardText(t *testing.T, events <-chan harness.Event) (text, began string) {
	t.Helper()
	for {
		select {
		case e, open := <-events:
			if !open {
				return text, began
			}
			var piece struct {
				Kind   string
				Offset int
				Text   string
			}
			switch e.Name {
			case "message.created":
				if strings.Contains(e.Data, `"sender":"AI"`) {
					return text, began
				}
			case "message.snapshot", "message.delta":
				if err := json.Unmarshal([]byte(e.Data), &piece); err != nil {
					t.Fatal(err)
				}
				if began == "" {
					began = e.Name
				}
				if e.Name == "message.snapshot" {
					text = piece.Text
					if piece.Offset != len([]rune(piece.Text)) {
						t.Errorf("a snapshot of %d characters says %d", len([]rune(piece.Text)), piece.Offset)
					}
					continue
				}
				if chars := len([]rune(text)); piece.Offset != chars {
					t.Errorf("a piece at %d after %d characters", piece.Offset, chars)
				}
				text += piece.Text
			}
		case <-time.After(20 * time.Second):
			t.Fatal("nothing more comes")
		}
	}
}

// written waits until the AI has written so many bytes of an answer.
func (s *server) written(session string, bytes int) {
	s.T.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if _, text := s.Parts.Broker.Partial(session); len(text) >= bytes {
			return
		}
	}
	s.T.Fatal("the answer does not begin")
}

// A client that joins during an unwatched answer gets the text so far, and then the rest, to the last letter.
func TestJoiningInMidAnswer(t *testing.T) {
	for name, path := range map[string]string{"the session": "/v1/sessions/%/events", "the workspace": "/v1/events?sessions=%"} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, harness.Databases["sqlite"](t))
			s.slow()
			overview, _ := s.Listen("/v1/events") // which receives no text
			chat := s.Chat()
			s.Call("POST", "/v1/sessions/"+chat+"/messages", `{"text": "Write to me."}`).Want(202)
			s.written(chat, 100)
			events, _ := s.Listen(strings.Replace(path, "%", chat, 1))
			text, began := heardText(t, events)
			if text != slowWords || began != "message.snapshot" {
				t.Errorf("began with %s; received %d of %d bytes", began, len(text), len(slowWords))
			}
			if other, _ := heardTextSoFar(overview); other != "" {
				t.Errorf("a stream without this session received %q", other)
			}
			s.Settle(chat)
			if got := s.LastText(chat); got != slowWords {
				t.Errorf("the record has %d of %d bytes", len(got), len(slowWords))
			}
		})
	}
}

// heardTextSoFar looks at what has come until now.
func heardTextSoFar(events <-chan harness.Event) (text string, n int) {
	for {
		select {
		case e := <-events:
			n++
			if e.Name == "message.delta" || e.Name == "message.snapshot" {
				text += e.Data
			}
		default:
			return text, n
		}
	}
}

// Who leaves changes nothing: the answer is finished and recorded; who comes back has
// missed nothing.
func TestLeavingInMidAnswer(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.slow()
	chat := s.Chat()
	events, leave := s.Listen("/v1/sessions/" + chat + "/events")
	s.Call("POST", "/v1/sessions/"+chat+"/messages", `{"text": "Write to me."}`).Want(202)
	for e := range events {
		if e.Name == "message.delta" {
			break
		}
	}
	leave()
	s.written(chat, 200)
	events, _ = s.Listen("/v1/sessions/" + chat + "/events")
	if text, began := heardText(t, events); text != slowWords || began != "message.snapshot" {
		t.Errorf("back again: began with %s; received %d of %d bytes", began, len(text), len(slowWords))
	}
	s.Settle(chat)
	if got := s.LastText(chat); got != slowWords {
		t.Errorf("the record has %d of %d bytes", len(got), len(slowWords))
	}
}

// A vendor is asked to stream only while there is a listener: a stream of the session, one of the workspace that
// names it, or a heartbeat.
func TestWhatIsWatchedIsStreamed(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	vendor := openai.Compatible()
	fine := suite.Reply{Text: []string{"Fi", "ne."}, StopReason: "stop"}
	player := vendor.Play(fine, fine, fine, fine, fine, fine)
	far := httptest.NewServer(player)
	defer far.Close()
	s.Configured("Far", far.URL, true)
	overview, _ := s.Listen("/v1/events")
	watch := map[string]func(chat string) (leave func()){
		"none": func(string) func() { return func() {} },
		"a stream of the session": func(chat string) func() {
			_, leave := s.Listen("/v1/sessions/" + chat + "/events")
			return leave
		},
		"a stream of the workspace": func(chat string) func() {
			_, leave := s.Listen("/v1/events?sessions=" + chat)
			return leave
		},
		"a stream of others": func(string) func() {
			_, leave := s.Listen("/v1/events?sessions=" + s.Chat())
			return leave
		},
		"a heartbeat": func(chat string) func() {
			s.Call("POST", "/v1/heartbeat", map[string]any{"session_ids": []string{chat}}).Want(200)
			return func() {}
		},
	}
	for _, who := range []string{"none", "a stream of the session", "a stream of the workspace", "a stream of others", "a heartbeat"} {
		chat := s.Chat()
		leave := watch[who](chat)
		s.Say(chat, "Hello.")
		leave()
		body := player.Requests()[len(player.Requests())-1]
		streamed := strings.Contains(string(body), `"stream":true`)
		if want := who != "none" && who != "a stream of others"; streamed != want {
			t.Errorf("%s: streamed is %v", who, streamed)
		}
		if got := s.LastText(chat); got != "Fine." {
			t.Errorf("%s: the record says %q", who, got)
		}
	}
	if text, n := heardTextSoFar(overview); text != "" || n == 0 {
		t.Errorf("the overview received %q", text)
	}
}

// An unwatched answer that a person cuts keeps the text that had come, where the
// provider streams anyway.
func TestCuttingWhatNobodyWatched(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.slow()
	chat := s.Chat()
	s.Call("POST", "/v1/sessions/"+chat+"/messages", `{"text": "Write to me."}`).Want(202)
	s.written(chat, 100)
	s.Call("POST", "/v1/sessions/"+chat+"/interrupt", nil).Want(200)
	s.Settle(chat)
	if got := strings.Join(s.Record(chat), " "); got != "USER AI(interrupted)" {
		t.Errorf("the record is %s", got)
	}
	for _, m := range s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200).List("data") {
		if m.(map[string]any)["status"] == string(domain.MessageInterrupted) {
			return
		}
	}
	t.Error("no message is marked as interrupted")
}
