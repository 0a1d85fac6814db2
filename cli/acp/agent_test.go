package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// problem is an error of the server.
type problem struct{ api.Problem }

func (p problem) Error() string          { return p.Code }
func (p problem) Reported() *api.Problem { return &p.Problem }

// server is the API over the world, with what an editor changes.
type server struct {
	editor
	onAnswer func() // before an answer arrives; nil: nothing

	mu      sync.Mutex
	calls   []string // that change something
	uploads []string
}

func (s *server) Call(ctx context.Context, method, path string, in, out any) error {
	s.mu.Lock()
	if method != http.MethodGet {
		s.calls = append(s.calls, method+" "+path)
	}
	s.mu.Unlock()
	id, ofApproval := strings.CutPrefix(path, "/v1/approvals/")
	switch {
	case method == http.MethodPost && ofApproval:
		return s.answerApproval(ctx, id, in)
	case method == http.MethodPost && path == sessionPath(suite.SessionID)+"/interrupt":
		s.Answer("")
		return nil
	case method == http.MethodPatch:
		return nil
	}
	if path != "/v1/providers" && !strings.Contains(path, suite.SessionID) {
		return problem{api.Problem{Code: "not_found", Status: http.StatusNotFound}}
	}
	return s.editor.Call(ctx, method, path, in, out)
}

func (s *server) answerApproval(ctx context.Context, id string, in any) error {
	if s.onAnswer != nil {
		s.onAnswer()
	}
	a, err := s.Approval(ctx, "", id)
	if err != nil {
		return err
	}
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	decision, err := s.Config().Decision(text, a.Kind)
	if err == nil {
		_, err = s.AnswerApproval(ctx, "", id, decision)
	}
	return err
}

func (s *server) Insist(ctx context.Context, method, path string, in, out any) error {
	return s.Call(ctx, method, path, in, out)
}

func (s *server) Upload(_ context.Context, name, text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads = append(s.uploads, name+": "+text)
	return fmt.Sprintf("fil_%d", len(s.uploads)), nil
}

// line is what is read of a message of the agent.
type line struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Options []struct{ OptionID, Name string }
		Update  struct {
			Kind    string `json:"sessionUpdate"`
			Content json.RawMessage
		}
	}
	Result struct {
		StopReason string
	}
	Error *struct {
		Code    int
		Message string
		Data    struct{ Code string }
	}
}

// dialogue is a connection of an editor to an agent.
type dialogue struct {
	t      *testing.T
	server *server
	in     *io.PipeWriter
	choose string // name of the option that the person chooses; "" for none

	mu    sync.Mutex
	lines []line
}

// converse opens the session in an editor, and closes the connection after the test.
func converse(t *testing.T, w *suite.World) *dialogue {
	t.Helper()
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	d := &dialogue{t: t, server: &server{editor: editor{w}}, in: writer}
	agent := &Agent{Server: d.server, URL: "https://fermata.example", Log: func(string, ...any) {}}
	done := make(chan error)
	go func() {
		err := agent.Serve(t.Context(), in, out)
		_ = out.Close() // it never fails
		done <- err
	}()
	go d.read(reader)
	t.Cleanup(func() {
		_ = writer.Close() // it never fails
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	d.send(`{"jsonrpc":"2.0","id":"load","method":"session/load","params":{"sessionId":"` + suite.SessionID + `","cwd":"/","mcpServers":[]}}`)
	return d
}

// read takes the agent's messages, and answers its requests.
func (d *dialogue) read(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var got line
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			d.t.Errorf("%s: %v", lines.Bytes(), err)
			continue
		}
		d.mu.Lock()
		d.lines = append(d.lines, got)
		choose := d.choose
		d.mu.Unlock()
		i := slices.IndexFunc(got.Params.Options, func(o struct{ OptionID, Name string }) bool { return o.Name == choose })
		if got.Method == methodPermission && i >= 0 {
			go func() { // the pipe has no room
				_, _ = fmt.Fprintf(d.in, `{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`+"\n",
					got.ID, got.Params.Options[i].OptionID)
			}()
		}
	}
}

// send writes a message, and waits until all is at rest.
func (d *dialogue) send(message string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, message+"\n"); err != nil {
		d.t.Fatal(err)
	}
	synctest.Wait()
}

func (d *dialogue) prompt(blocks string) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","id":"prompt","method":"session/prompt","params":{"sessionId":"` + suite.SessionID + `","prompt":[` + blocks + `]}}`)
}

// response returns the response to a request; nil if there is none yet.
func (d *dialogue) response(id string) *line {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, l := range d.lines {
		if string(l.ID) == id && l.Method == "" {
			return &d.lines[i]
		}
	}
	return nil
}

const hello = `{"type":"text","text":"` + suite.Text + `"}`

// A prompt ends with its round, for the reason of the round.
func TestAPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := converse(t, w)
		d.prompt(hello)
		if got := d.response(`"prompt"`); got != nil {
			t.Errorf("before the answer it ends with %+v", got)
		}
		w.Answer("Yes.")
		if got := d.response(`"prompt"`); got == nil || got.Result.StopReason != "end_turn" {
			t.Errorf("it ends with %+v", got)
		}
	})
}

// A prompt that is cancelled interrupts the round, whose end answers it.
func TestACancelledPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := converse(t, suite.NewWorld(t))
		d.prompt(hello)
		d.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + suite.SessionID + `"}}`)
		if got := d.response(`"prompt"`); got == nil || got.Result.StopReason != "cancelled" {
			t.Errorf("it ends with %+v", got)
		}
		if want := "POST " + sessionPath(suite.SessionID) + "/interrupt"; !slices.Contains(d.server.calls, want) {
			t.Errorf("the calls are %q", d.server.calls)
		}
	})
}

// Embedded resources are stored as files: the person did not write them.
func TestAPromptWithAResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := converse(t, w)
		d.prompt(hello + `,{"type":"resource_link","name":"a","uri":"file:///a"},{"type":"resource","resource":{"uri":"file:///src/main.go","text":"package main"}}`)
		w.Answer("Yes.")
		if got := d.response(`"prompt"`); got == nil || got.Result.StopReason != "end_turn" {
			t.Errorf("it ends with %+v", got)
		}
		if !slices.Equal(d.server.uploads, []string{"main.go: package main"}) {
			t.Errorf("stored are %q", d.server.uploads)
		}
	})
}

// What a person chooses in the editor is the answer to the approval.
func TestWhatAPersonChooses(t *testing.T) {
	for name, c := range map[string]struct {
		kind   domain.ApprovalKind
		choose string
		want   domain.Decision
	}{
		"all actions":           {domain.ApprovalActions, "Approve all 2", domain.Decision{Approved: true}},
		"one action":            {domain.ApprovalActions, "Only 2", domain.Decision{Approved: true, ApprovedIDs: []string{"exe_00000000000000000000000000000006"}}},
		"no action":             {domain.ApprovalActions, "Refuse all", domain.Decision{}},
		"an option":             {domain.ApprovalQuestion, "red", domain.Decision{Approved: true, Value: json.RawMessage(`"red"`)}},
		"no option":             {domain.ApprovalQuestion, "Leave it unanswered", domain.Decision{Cancelled: true}},
		"a limit":               {domain.ApprovalBudget, "Go on", domain.Decision{Approved: true}},
		"the end of a wait":     {domain.ApprovalClientCalls, "Stop waiting", domain.Decision{}},
		"another try":           {domain.ApprovalPoisoned, "Try again", domain.Decision{Approved: true}},
		"a sign-in is replaced": {domain.ApprovalReconnect, "Do without", domain.Decision{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := suite.NewWorld(t)
				d := converse(t, w)
				d.choose = c.choose
				d.prompt(hello)
				w.Ask(c.kind)
				synctest.Wait()
				got := w.Decisions()
				if len(got) != 1 || got[0].Approved != c.want.Approved || got[0].Cancelled != c.want.Cancelled ||
					string(got[0].Value) != string(c.want.Value) || !slices.Equal(got[0].ApprovedIDs, c.want.ApprovedIDs) {
					t.Fatalf("the decisions are %+v", got)
				}
				w.Answer("Done.")
				if end := d.response(`"prompt"`); end == nil || end.Result.StopReason != "end_turn" {
					t.Errorf("it ends with %+v", end)
				}
			})
		})
	}
}

// A request to a person ends when the approval is answered elsewhere.
func TestAnAnswerOfAnotherClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := converse(t, w)
		d.prompt(hello)
		approval := w.Ask(domain.ApprovalBudget)
		synctest.Wait()
		if _, err := w.AnswerApproval(t.Context(), "", approval, domain.Decision{Approved: true}); err != nil {
			t.Fatal(err)
		}
		w.Answer("Done.")
		if end := d.response(`"prompt"`); end == nil || end.Result.StopReason != "end_turn" {
			t.Errorf("it ends with %+v", end)
		}
		if got := w.Decisions(); len(got) != 1 {
			t.Errorf("the decisions are %+v", got)
		}
	})
}

// Invalid messages are answered in the form of the protocol, with the server's code, and change nothing.
func TestInvalidMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := converse(t, suite.NewWorld(t))
		of := `"sessionId":"` + suite.SessionID + `"`
		for name, c := range map[string]struct {
			message, code string
			number        int
		}{
			"no JSON":             {`{"jsonrpc"`, "malformed_json", -32700},
			"a list":              {`[{"id":1}]`, "invalid", -32600},
			"no method":           {`{"jsonrpc":"2.0","id":"x"}`, "invalid", -32600},
			"an unknown method":   {`{"jsonrpc":"2.0","id":"x","method":"session/destroy"}`, "not_found", -32601},
			"no parameters":       {`{"jsonrpc":"2.0","id":"x","method":"session/prompt"}`, "invalid", -32602},
			"another type":        {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":7}}`, "invalid", -32602},
			"nothing said":        {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{` + of + `,"prompt":[]}}`, "invalid", -32602},
			"a picture":           {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{` + of + `,"prompt":[{"type":"image"}]}}`, "invalid", -32602},
			"no session":          {`{"jsonrpc":"2.0","id":"x","method":"session/load","params":{}}`, "invalid", -32602},
			"an unknown session":  {`{"jsonrpc":"2.0","id":"x","method":"session/resume","params":{"sessionId":"ses_0"}}`, "not_found", -32002},
			"a prompt to nothing": {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"ses_0","prompt":[` + hello + `]}}`, "not_found", -32002},
			"not open":            {`{"jsonrpc":"2.0","id":"x","method":"session/close","params":{"sessionId":"ses_0"}}`, "not_found", -32002},
			"an unknown option":   {`{"jsonrpc":"2.0","id":"x","method":"session/set_config_option","params":{` + of + `,"configId":"mode","value":"x"}}`, "invalid", -32602},
			"a sign-in":           {`{"jsonrpc":"2.0","id":"x","method":"authenticate","params":{"methodId":"key"}}`, "unauthenticated", -32000},
		} {
			d.mu.Lock()
			before := len(d.lines)
			d.mu.Unlock()
			d.send(c.message)
			d.mu.Lock()
			got := d.lines[before:]
			d.mu.Unlock()
			if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != c.number || got[0].Error.Data.Code != c.code {
				t.Errorf("%s: %+v", name, got)
			}
		}
		d.send(`{"jsonrpc":"2.0","method":"unknown/notification"}`)
		if len(d.server.calls) > 0 || d.server.Sent() {
			t.Errorf("the calls are %q", d.server.calls)
		}
	})
}
