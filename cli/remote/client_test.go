package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

func TestProblemsAreExplained(t *testing.T) {
	cases := map[string]struct {
		status int
		header map[string]string
		body   string
		want   []string
	}{
		"wrong values": {422, nil, `{"title":"Some values are wrong","detail":"Two fields.","code":"invalid","request_id":"req_1","outcome":"not_applied","errors":[{"pointer":"/name","code":"too_long","message":"at most 200 characters"}]}`,
			[]string{"Some values are wrong: Two fields.", "/name: at most 200 characters", "(invalid, HTTP 422, request req_1)"}},
		"no credentials": {401, nil, `{"title":"Who are you?","detail":"A key is needed.","code":"unauthenticated","request_id":"r"}`,
			[]string{"Who are you?", "FERMATA_KEY"}},
		"later": {503, map[string]string{"Retry-After": "5"}, `{"title":"Not available now","code":"unavailable","retryable":true,"outcome":"unknown"}`,
			[]string{"It is uncertain whether the change was made", "Try again in 5s"}},
		"a proxy": {502, map[string]string{"X-Request-ID": "req_9"}, `<html>Bad Gateway</html>`,
			[]string{"Bad Gateway", "proxy", "HTTP 502, request req_9"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := clitest.NewAPI(t)
			f.Mux.HandleFunc("/v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			flags := f.Flags()
			client, err := flags.Client(&command.Context{})
			if err != nil {
				t.Fatal(err)
			}
			err = client.Call(t.Context(), "GET", "/v1/sessions", nil, nil)
			if err == nil {
				t.Fatal("no error")
			}
			clitest.Wants(t, err.Error(), c.want...)
		})
	}
}

// A request without reply is repeated with the same key, so that the change is made
// once.
func TestALostReplyIsAskedForAgainWithTheSameKey(t *testing.T) {
	f := clitest.NewAPI(t)
	lost := false
	f.Mux.HandleFunc("POST /v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
		if !lost {
			lost = true
			panic(http.ErrAbortHandler) // the connection breaks instead of a reply
		}
		_, _ = io.WriteString(w, `{"id":"ses_1"}`)
	})
	flags := f.Flags()
	client, _ := flags.Client(&command.Context{})
	client.Pause = time.Millisecond
	var session struct{ ID string }
	if err := client.Call(t.Context(), "POST", "/v1/sessions", map[string]string{}, &session); err != nil || session.ID != "ses_1" {
		t.Fatalf("%v, %+v", err, session)
	}
	tries := f.Seen("POST /v1/sessions")
	if len(tries) != 2 || tries[0].Header.Get("Idempotency-Key") == "" || tries[0].Header.Get("Idempotency-Key") != tries[1].Header.Get("Idempotency-Key") {
		t.Fatalf("tries: %+v", tries)
	}
}

func TestTheKeyAndTheWorkspaceAreSent(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("/v1/sessions", 200, `{"data":[],"next_cursor":null}`)
	flags := f.Flags()
	flags.Key, flags.Workspace = "fmt_secret", "acme"
	client, _ := flags.Client(&command.Context{})
	if err := client.Call(t.Context(), "GET", "/v1/sessions", nil, nil); err != nil {
		t.Fatal(err)
	}
	h := f.Seen("GET /v1/sessions")[0].Header
	if h.Get("Authorization") != "Bearer fmt_secret" || h.Get("Fermata-Workspace") != "acme" {
		t.Fatalf("headers: %v", h)
	}
	for _, url := range []string{"localhost:8080", "ftp://x", "", "http://"} {
		if _, err := (&command.ServerFlags{URL: url}).Client(&command.Context{}); err == nil {
			t.Errorf("%q passes for a URL", url)
		}
	}
}

// The stream breaks, the server is away, then says good-bye: nothing is missed and
// nothing comes twice.
func TestFollowingComesBackByItsCursor(t *testing.T) {
	f := clitest.NewAPI(t)
	n := 0
	f.Mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) {
		n++
		switch n {
		case 1:
			clitest.Stream(w, r, false, clitest.EventText(1, "x", 1), clitest.EventText(2, "x", 2), "id: 3\nevent: x\n") // breaks in the third
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			clitest.Stream(w, r, false, clitest.EventText(3, "x", 3), clitest.EventText(0, "delta", 0), "retry: 300\n"+clitest.EventText(0, "bye", map[string]string{"reason": "shutdown"}))
		case 4:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 5:
			clitest.Stream(w, r, false, clitest.EventText(0, "reset", map[string]string{"reason": "pruned"}), clitest.EventText(9, "snapshot", 9), clitest.EventText(10, "x", 10))
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	flags := f.Flags()
	client, _ := flags.Client(&command.Context{})
	var got []string
	breaks := 0
	follow := &remote.Follower{Client: client, Path: "/v1/events", Cursor: 0, Pause: time.Millisecond,
		Take: func(e remote.Event) error { got = append(got, fmt.Sprintf("%s%d", e.Name, e.ID)); return nil },
		Lost: func(error) { breaks++ }}
	err := follow.Run(t.Context())
	if remote.CodeOf(err) != "unknown" {
		t.Fatalf("ended with %v", err)
	}
	if want := "x1 x2 x3 delta0 reset0 snapshot9 x10"; strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
	var cursors []string
	for _, r := range f.Seen("GET /v1/events") {
		cursors = append(cursors, strings.TrimPrefix(r.Line, "GET /v1/events?"))
	}
	if want := "after=0 after=2 after=2 after=3 after=3 after=10"; strings.Join(cursors, " ") != want {
		t.Errorf("cursors %v", cursors)
	}
	if breaks != 5 {
		t.Errorf("%d breaks", breaks)
	}
}

// A connection on which nothing comes any more, not even comments, is given up.
func TestASilentStreamIsGivenUp(t *testing.T) {
	f := clitest.NewAPI(t)
	n := 0
	f.Mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			clitest.Stream(w, r, true, clitest.EventText(1, "x", 1))
			return
		}
		clitest.Stream(w, r, true, clitest.EventText(2, "x", 2))
	})
	flags := f.Flags()
	client, _ := flags.Client(&command.Context{})
	errSecond := errors.New("the second event")
	follow := &remote.Follower{Client: client, Path: "/v1/events", Cursor: remote.NoCursor, Pause: time.Millisecond, Silence: 50 * time.Millisecond,
		Take: func(e remote.Event) error {
			if e.ID == 2 {
				return errSecond
			}
			return nil
		}}
	if err := follow.Run(t.Context()); !errors.Is(err, errSecond) {
		t.Fatalf("ended with %v", err)
	}
}

func TestAServerThatWasNeverThereIsNotWaitedFor(t *testing.T) {
	flags := command.ServerFlags{URL: "http://127.0.0.1:1"}
	client, _ := flags.Client(&command.Context{})
	follow := &remote.Follower{Client: client, Path: "/v1/events", Take: func(remote.Event) error { return nil }}
	err := follow.Run(t.Context())
	if _, ok := errors.AsType[*remote.UnreachableError](err); !ok {
		t.Fatalf("got %v", err)
	}
	clitest.Wants(t, err.Error(), "http://127.0.0.1:1 does not respond", "fermata serve", "--url")
}

// What the server refuses is not asked again; while it is away, the same request is.
func TestWhatIsAskedAgain(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("POST /v1/refused", 422, `{"title":"No.","code":"invalid","status":422}`)
	var times atomic.Int32
	f.Mux.HandleFunc("POST /v1/away", func(w http.ResponseWriter, _ *http.Request) {
		switch times.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Content-Length", "100") // the answer breaks off
			_, _ = io.WriteString(w, `{"id":`)
		default:
			_, _ = io.WriteString(w, `{"id":"ses_1"}`)
		}
	})
	cc, _ := clitest.Context(t, strings.NewReader(""))
	flags := f.Flags()
	client, err := flags.Client(cc)
	if err != nil {
		t.Fatal(err)
	}
	client.Pause = time.Millisecond
	for _, ask := range []func(context.Context, string, string, any, any) error{client.Call, client.Insist} {
		if err := ask(cc, "POST", "/v1/refused", nil, nil); remote.CodeOf(err) != "invalid" {
			t.Errorf("refused with %v", err)
		}
	}
	if n := len(f.Seen("POST /v1/refused")); n != 2 {
		t.Errorf("what was refused was asked %d times", n)
	}
	var got struct{ ID string }
	if err := client.Insist(cc, "POST", "/v1/away", nil, &got); err != nil || got.ID != "ses_1" {
		t.Errorf("it answers %+v: %v", got, err)
	}
	asked := f.Seen("POST /v1/away")
	for _, r := range asked {
		if r.Header.Get("Idempotency-Key") != asked[0].Header.Get("Idempotency-Key") || r.Header.Get("Idempotency-Key") == "" {
			t.Errorf("asked under %q", r.Header.Get("Idempotency-Key"))
		}
	}
	if len(asked) != 3 {
		t.Errorf("asked %d times", len(asked))
	}
}
