package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestAChatClientThroughKills: OpenAI's own client uses a server that is killed during answers. It only repeats its
// requests: no round is lost or doubled, and its answers are those in the record.
func TestAChatClientThroughKills(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		client := openai.NewClient(option.WithBaseURL(front.url+"/v1"), option.WithMaxRetries(30))
		var said []openai.ChatCompletionMessageParamUnion
		var want []string
		session := ""
		for n := 0; h.died() < kills && n < rounds; n++ {
			question, answer := ask(n), front.answer(n)
			said = append(said, openai.UserMessage(question))
			want = append(want, recorded(question, answer)...)
			request := openai.ChatCompletionNewParams{Model: "fermata", Messages: said}
			var got string
			switch {
			case strings.HasSuffix(question, usesTool):
				got = front.withTool(client, request)
			case n%2 == 0:
				got, session = front.whole(client, request)
			default:
				got = front.streamed(client, request, h.kill)
			}
			if got != answer {
				t.Fatalf("round %d: the answer is %q, and should be %q", n, got, answer)
			}
			said = append(said, openai.AssistantMessage(got))
		}
		if got := front.record(session); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		front.sound()
		h.diedOften(kills, len(want)/2)
	})
}

// throughKills runs a test of a protocol on both databases: behind the front is a separate server with scripted
// answers, which is restarted whenever it dies.
func throughKills(t *testing.T, does func(t *testing.T, front *front, kills, rounds int)) {
	t.Helper()
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		kills, rounds := killsWanted()
		h := newNodeHost(t, db, "test", "FERMATA_SCRIPT_PROVIDER=true")
		h.server()
		front := newFront(t, h)
		front.script(rounds)
		does(t, front, kills, rounds)
	})
}

// killsWanted is the number of kills in a protocol's test on each database, and the number of rounds within which
// they must have happened.
func killsWanted() (kills, rounds int) {
	if harness.Long {
		return 100, 250
	}
	return 3, 12
}

// diedOften holds the server to the deaths that a test wanted of it.
func (h *host) diedOften(kills, rounds int) {
	h.t.Helper()
	if died := h.died(); died < kills {
		h.t.Errorf("the server was killed %d times in %d rounds", died, rounds)
	}
}

// front is the one address of a server that comes back elsewhere each time: connections go to
// where it is, and are broken when it is nowhere.
type front struct {
	t        *testing.T
	host     *host
	url      string
	listener net.Listener
	open     sync.WaitGroup

	mu     sync.Mutex
	strike *time.Duration // of the request that comes next; nil: it is spared
	struck *time.Timer
	cut    *cut // of the client that is to be killed
}

// A scripted answer has 16 words and a pause between each two: no round ends before answerTakes.
const (
	wordTakes   = 20 * time.Millisecond
	answerTakes = 12 * wordTakes
)

// strikeWithin has the server killed at some moment of the time after it has been sent the next
// request. Counted from there, not from when the test began to send it, a time below
// answerTakes is always in the middle of the round, on a busy machine too.
func (f *front) strikeWithin(most time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	after := rand.N(most)
	f.strike = &after
}

// spare takes back what strikeWithin armed, if it has not come to that.
func (f *front) spare() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.strike = nil
	if f.struck != nil {
		f.struck.Stop()
	}
}

// requests is the way from a client to the server, which sees when something is sent.
type requests struct {
	net.Conn
	front *front
}

func (r requests) Write(b []byte) (int, error) {
	n, err := r.Conn.Write(b)
	f := r.front
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && f.strike != nil {
		f.struck = time.AfterFunc(*f.strike, f.host.kill)
		f.strike = nil
	}
	return n, err
}

func newFront(t *testing.T, h *host) *front {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{t: t, host: h, listener: listener, url: "http://" + listener.Addr().String()}
	f.open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			f.open.Go(func() { f.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		http.DefaultClient.CloseIdleConnections()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		f.open.Wait()
	})
	return f
}

// carry takes bytes from one side to the other until one of them is gone.
func (f *front) carry(in net.Conn) {
	defer in.Close()
	server := f.host.running()
	if server == nil {
		return
	}
	out, err := net.Dial("tcp", strings.TrimPrefix(server.url, "http://"))
	if err != nil {
		return
	}
	defer out.Close()
	var both sync.WaitGroup
	for _, way := range []struct {
		to   io.Writer
		from net.Conn
	}{{counted{in, f, false}, out}, {requests{counted{out, f, true}, f}, in}} {
		both.Go(func() {
			_, _ = io.Copy(way.to, way.from) // ends with the connection
			_ = in.Close()
			_ = out.Close()
		})
	}
	both.Wait()
}

// answer is what the script says to the n-th question.
func (f *front) answer(n int) string {
	return fmt.Sprintf("The answer %03d, which takes a while to be said, word by word, until its end.", n)
}

// script makes the provider that answers, the latest question first: the prompt has them all.
func (f *front) script(rounds int) {
	f.t.Helper()
	steps := []string{toolStep()}
	for n := rounds - 1; n >= 0; n-- {
		steps = append(steps, fmt.Sprintf(`{"when": {"contains": "question %03d"}, "token_delay_ms": %d, "answer": {"text": %q}}`,
			n, wordTakes.Milliseconds(), f.answer(n)))
	}
	body := `{"name": "Script", "kind": "script", "is_default": true, "config": {"steps": [` + strings.Join(steps, ",") + `]}}`
	response, err := http.Post(f.url+"/v1/providers", "application/json", strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		f.t.Fatalf("the provider: %s", response.Status)
	}
}

// whole asks for an answer as a whole, while the server is killed; the SDK repeats.
func (f *front) whole(client openai.Client, request openai.ChatCompletionNewParams) (text, session string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	f.strikeWithin(answerTakes)
	defer f.spare()
	var response *http.Response
	answer, err := client.Chat.Completions.New(ctx, request, option.WithResponseInto(&response))
	if err != nil {
		f.t.Fatalf("the client gave up: %v", err)
	}
	return answer.Choices[0].Message.Content, response.Header.Get("X-Fermata-Session")
}

// streamed asks for an answer piece by piece, kills the server at the third, and asks again.
func (f *front) streamed(client openai.Client, request openai.ChatCompletionNewParams, kill func()) string {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for try := range 30 {
		stream := client.Chat.Completions.NewStreaming(ctx, request)
		text, finished := "", false
		for n := 0; stream.Next(); n++ {
			if n == 3 && try == 0 {
				kill()
			}
			for _, c := range stream.Current().Choices {
				text += c.Delta.Content
				finished = finished || c.FinishReason == "stop"
			}
		}
		if stream.Err() == nil && finished {
			return text
		}
	}
	f.t.Fatal("no stream came to its end")
	return ""
}

// record is the content of a session, in words.
func (f *front) record(session string) (said []string) {
	f.t.Helper()
	var page struct {
		Data []struct {
			Sender string
			Rich   *struct {
				Segments []struct{ Text string }
			} `json:"rich_content"`
			AI *struct {
				PreText string `json:"pre_text"`
			} `json:"ai_message"`
			System *struct {
				Results []struct{ Text string } `json:"command_results"`
			} `json:"system_message"`
		}
		Next string `json:"next_cursor"`
	}
	for after := "?limit=200"; after != ""; {
		page.Data, page.Next = nil, ""
		if err := json.Unmarshal([]byte(f.call("GET", "/v1/sessions/"+session+"/messages"+after, "")), &page); err != nil {
			f.t.Fatal(err)
		}
		for _, m := range page.Data {
			switch {
			case m.Rich != nil:
				said = append(said, m.Sender+" "+m.Rich.Segments[0].Text)
			case m.AI != nil:
				said = append(said, m.Sender+" "+m.AI.PreText)
			default:
				var found []string
				for i := 0; m.System != nil && i < len(m.System.Results); i++ {
					found = append(found, m.System.Results[i].Text)
				}
				said = append(said, m.Sender+" "+strings.Join(found, ", "))
			}
		}
		if after = page.Next; after != "" {
			after = "?limit=200&after=" + after
		}
	}
	return said
}
