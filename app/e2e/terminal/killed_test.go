//go:build unix

package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/terminal"
)

// host has one address, whichever process serves behind it: a server that is started again
// has the same one.
type host struct {
	net.Listener
	mu     sync.Mutex
	server string // "" while it is down
	open   map[net.Conn]bool
}

func newHost(t *testing.T) *host {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &host{Listener: listener, open: map[net.Conn]bool{}}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go h.join(client)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		h.serve("")
	})
	return h
}

// serve says where the server is; connections to the one before are dead.
func (h *host) serve(url string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.server = strings.TrimPrefix(url, "http://")
	for c := range h.open {
		_ = c.Close()
	}
}

func (h *host) join(client net.Conn) {
	h.mu.Lock()
	server := h.server
	h.open[client] = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.open, client)
		h.mu.Unlock()
		_ = client.Close()
	}()
	if server == "" {
		return
	}
	there, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(there, client)
		_ = there.Close()
	}()
	_, _ = io.Copy(client, there)
}

// said are the messages of a session's record, by their senders.
func said(t *testing.T, url, session string) (people, ai []string) {
	t.Helper()
	response, err := http.Get(url + "/v1/sessions/" + session + "/messages?limit=200")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var list api.MessageList
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Data {
		switch {
		case m.RichContent != nil:
			people = append(people, m.RichContent.Words())
		case m.AiMessage != nil:
			ai = append(ai, m.AiMessage.PreText)
		}
	}
	return people, ai
}

func post(t *testing.T, url string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s: %d %s", url, response.StatusCode, answer)
	}
}

// The server is killed during an answer, and stays down for a while: the person can continue typing, messages
// sent meanwhile are sent once, the answer is complete, and an unfinished message stays in the input.
func TestTheServerIsKilledWhileSomebodyTalks(t *testing.T) {
	t.Setenv("FERMATA_SCRIPT_PROVIDER", "true")
	t.Setenv("TERM", "xterm-256color")
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		p, h := harness.NewProcess(t, db), newHost(t)
		h.serve(p.URL)
		story := "Once there was " + strings.Repeat("a road and ", 60) + "an end."
		post(t, p.URL+"/v1/providers", map[string]any{"name": "s", "kind": "script", "is_default": true, "config": map[string]any{
			"steps": []any{
				map[string]any{"when": map[string]any{"contains": "story"}, "token_delay_ms": 20, "answer": map[string]any{"text": story}},
				map[string]any{"answer": map[string]any{"text": "Here I am."}},
			}}})
		screen, done := terminal.Open(t, 80, 40), make(chan error, 1)
		cc := &command.Context{
			Context: t.Context(), Version: "dev", In: screen.TTY, Out: screen.TTY, Errors: io.Discard, Clock: clock.System,
			Interactive: true, Terminal: true,
		}
		go func() { done <- harness.CommandLine(cc, "chat", "--no-history", "--url=http://"+h.Addr().String()) }()
		screen.Shows(">")
		screen.Press("write me a story\r")
		screen.Has("> write me a story", "session ses_", "Once there was a road and", "· thinks", ">")
		p.Die()
		h.serve("")
		screen.Press("are you there?\r")
		screen.Has("> are you there?", "· server unreachable; your message is kept and sent later", ">")
		screen.Press("half a mess")
		screen.Shows("> half a mess")
		p.Kill()
		h.serve(p.URL)
		screen.Has("> are you there?", "Here I am.", "> half a mess")
		_, session, _ := strings.Cut(strings.Join(screen.Rows(), "\n"), "session ")
		session, _, _ = strings.Cut(session, "\n")
		people, ai := said(t, p.URL, session)
		if strings.Join(people, "|") != "write me a story|are you there?" || strings.Join(ai, "|") != story+"|Here I am." {
			t.Errorf("the record says %q and %q", people, ai)
		}
		screen.Press("\x15\x04")
		if err := <-done; err != nil {
			t.Error(err)
		}
		screen.Restored()
	})
}
