package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Editor is a small one that speaks the Agent Client Protocol with `fermata acp`.
type Editor struct {
	T testing.TB
	// Choose says what the person answers to a request of the agent: a result, or nil for none
	// yet.
	Choose func(EditorRequest) any

	in   io.WriteCloser
	mu   sync.Mutex // of what follows
	last int
	wait map[string]chan EditorAnswer
	// updates are those received since the last call of Updates.
	updates []EditorUpdate
}

// EditorRequest is a request of the agent's.
type EditorRequest struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// EditorAnswer is an answer of the agent's.
type EditorAnswer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Code string `json:"code"`
		} `json:"data"`
	} `json:"error"`
}

// EditorUpdate is what is read of a session's update.
type EditorUpdate struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`
	Title     string          `json:"title"`
	Status    string          `json:"status"`
	Call      string          `json:"toolCallId"`
	Used      int64           `json:"used"`
	Size      int64           `json:"size"`
}

// Text is the text of a chunk.
func (u *EditorUpdate) Text() string {
	var block struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(u.Content, &block) // of a call it is a list
	return block.Text
}

// NewEditor runs the program in this process, with a server's address and key.
func NewEditor(t testing.TB, url, key string) *Editor {
	t.Helper()
	fromEditor, in := io.Pipe()
	out, toEditor := io.Pipe()
	return newEditor(t, in, out, func() error {
		defer toEditor.Close()
		cc := &command.Context{Context: t.Context(), Version: "dev", In: fromEditor, Out: toEditor, Errors: t.Output(), Clock: clock.System}
		return CommandLine(cc, "acp", "--url="+url, "--key="+key)
	})
}

// StartEditor starts the program as editors do.
func StartEditor(t testing.TB, command *exec.Cmd) *Editor {
	t.Helper()
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, toEditor := io.Pipe()
	command.Stdout, command.Stderr = toEditor, t.Output()
	return newEditor(t, in, out, func() error {
		defer toEditor.Close()
		return command.Run()
	})
}

func newEditor(t testing.TB, in io.WriteCloser, out io.Reader, run func() error) *Editor {
	e := &Editor{T: t, wait: map[string]chan EditorAnswer{}, in: in}
	done, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if err := run(); err != nil {
			t.Errorf("fermata acp: %v", err)
		}
	}()
	go func() {
		defer close(read)
		e.read(out)
	}()
	t.Cleanup(func() {
		_ = in.Close()
		select {
		case <-done:
		case <-time.After(Patience):
			t.Error("fermata acp does not end with its input")
		}
		<-read
	})
	return e
}

func (e *Editor) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m struct {
			EditorAnswer
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			e.T.Errorf("the agent says %s: %v", lines.Bytes(), err)
			return
		}
		switch {
		case m.Method == "session/update":
			var received struct {
				Update EditorUpdate `json:"update"`
			}
			if err := json.Unmarshal(m.Params, &received); err != nil {
				e.T.Errorf("an update %s: %v", m.Params, err)
			}
			e.mu.Lock()
			e.updates = append(e.updates, received.Update)
			e.mu.Unlock()
		case m.Method != "" && m.ID != nil:
			if e.Choose == nil {
				continue
			}
			asked := EditorRequest{m.ID, m.Method, m.Params}
			if result := e.Choose(asked); result != nil {
				e.Answer(asked, result)
			}
		case m.Method == "":
			e.mu.Lock()
			waits := e.wait[string(m.ID)]
			delete(e.wait, string(m.ID))
			e.mu.Unlock()
			if waits != nil {
				waits <- m.EditorAnswer
			}
		}
	}
}

// Answer answers a request of the agent's.
func (e *Editor) Answer(asked EditorRequest, result any) {
	e.Line(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": result})
}

// Line sends a message.
func (e *Editor) Line(message any) {
	line, err := json.Marshal(message)
	if err == nil {
		e.Raw(string(line) + "\n")
	}
}

// Raw sends bytes.
func (e *Editor) Raw(text string) {
	if _, err := io.WriteString(e.in, text); err != nil {
		e.T.Errorf("write to the agent: %v", err)
	}
}

// Expect waits for the answer with an id.
func (e *Editor) Expect(id string) <-chan EditorAnswer {
	e.mu.Lock()
	defer e.mu.Unlock()
	waits := make(chan EditorAnswer, 1)
	e.wait[id] = waits
	return waits
}

// Begin sends a request; the answer comes when it comes.
func (e *Editor) Begin(method string, params any) <-chan EditorAnswer {
	e.mu.Lock()
	e.last++
	id := fmt.Sprint(e.last)
	e.mu.Unlock()
	waits := e.Expect(id)
	e.Line(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	return waits
}

// Take waits for an answer that was begun.
func (e *Editor) Take(waits <-chan EditorAnswer) EditorAnswer {
	e.T.Helper()
	select {
	case a := <-waits:
		return a
	case <-time.After(Patience):
		e.T.Fatal("the agent does not answer")
	}
	return EditorAnswer{}
}

// Ask sends a request and reads the result of it.
func (e *Editor) Ask(method string, params, result any) {
	e.T.Helper()
	a := e.Take(e.Begin(method, params))
	if a.Error != nil {
		e.T.Fatalf("%s: %d %s (%s)", method, a.Error.Code, a.Error.Message, a.Error.Data.Code)
	}
	if result != nil {
		if err := json.Unmarshal(a.Result, result); err != nil {
			e.T.Fatal(err)
		}
	}
}

// Prompt asks something in a session, and gives why it stopped.
func (e *Editor) Prompt(session, text string) string {
	e.T.Helper()
	var end struct{ StopReason string }
	e.Ask("session/prompt", PromptOf(session, text), &end)
	return end.StopReason
}

// PromptOf are the parameters of a prompt with one text.
func PromptOf(session, text string) any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// Open makes a session.
func (e *Editor) Open() string {
	e.T.Helper()
	var made struct{ SessionID string }
	e.Ask("session/new", map[string]any{"cwd": "/", "mcpServers": []any{}}, &made)
	return made.SessionID
}

// Updates returns the new updates.
func (e *Editor) Updates() []EditorUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.updates
	e.updates = nil
	return taken
}

// TextOf is what chunks of a kind say.
func TextOf(kind string, updates []EditorUpdate) string {
	var text strings.Builder
	for i := range updates {
		if updates[i].Kind == kind {
			text.WriteString(updates[i].Text())
		}
	}
	return text.String()
}

// Option is the answer to a request for permission by the name of the option.
func Option(request EditorRequest, name string) any {
	var asked struct {
		Options []struct {
			ID   string `json:"optionId"`
			Name string `json:"name"`
		} `json:"options"`
	}
	_ = json.Unmarshal(request.Params, &asked) // what cannot be read has no such option
	for _, o := range asked.Options {
		if o.Name == name {
			return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.ID}}
		}
	}
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": "no " + name}}
}

// Shown is the text that a request for permission shows.
func Shown(request EditorRequest) string {
	var asked struct {
		Call struct {
			Content []struct {
				Content struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"content"`
		} `json:"toolCall"`
	}
	if json.Unmarshal(request.Params, &asked) != nil || len(asked.Call.Content) == 0 {
		return ""
	}
	return asked.Call.Content[0].Content.Text
}
