package agui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// Door serves POST /v1/agui.
type Door struct{ rounds.Config }

// run is a request on its way.
type run struct {
	*Door
	identity *auth.Identity
	in       *input
	// found is where the run's message stands, and session what happens there.
	found    rounds.Found
	listener rounds.Listener
	message  *domain.Message // as it was read last
}

// Serve answers with the events of a run. Errors that come before its first event have the form
// of the API; later ones are RUN_ERROR.
func (d *Door) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	in, err := readInput(body)
	if err != nil {
		return err
	}
	x := &run{Door: d, identity: who, in: in, listener: rounds.Listener{Workspace: who.Workspace, Follow: d.Follow}}
	defer x.listener.Close()
	out := newWriter(w, in)
	if err := x.find(r.Context()); err != nil {
		return x.refuse(out, err)
	}
	in.Tools = nil // may be large, and the answer long
	if err := x.answer(r.Context(), out); err != nil {
		return x.refuse(out, err)
	}
	return x.stream(r, out)
}

// answer gives the session what the front end's tools found, and the answers to what it has asked.
// All of it is looked at before any of it counts: a run that is refused has changed nothing.
func (x *run) answer(ctx context.Context, out *writer) error {
	var called *domain.Approval // that waits for the results
	var err error
	if x.in.results != nil {
		if called, err = x.resultsApproval(ctx); err != nil {
			return err
		}
	}
	decisions, err := x.decisions(ctx, called)
	if err != nil {
		return err
	}
	if called != nil {
		if err := x.submitResults(ctx, called, out); err != nil {
			return err
		}
	}
	return x.resume(ctx, decisions)
}

// refuse tells an error as the protocol does: a run that ends with it.
func (x *run) refuse(out *writer, err error) error {
	out.start()
	out.fail(x.Failure(err))
	return nil
}

// Refuse answers with an error that came before the door, as the API does.
func (d *Door) Refuse(w http.ResponseWriter, f *api.Failure) { rounds.WriteProblem(w, f) }

// standing reads how the run's message stands.
func (x *run) progress(ctx context.Context) (*rounds.Progress, error) {
	reader := rounds.Reader{Record: x.Record, Approvals: x.Approvals, Workspace: x.identity.Workspace, LastRead: x.message}
	at, err := reader.Message(ctx, x.found.Session, x.found.Message)
	if err == nil {
		x.message = at.Message
	}
	return at, err
}

// input is what a client sends of a run.
type input struct {
	ChatID   string            `json:"threadId"`
	RunID    string            `json:"runId"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []tool            `json:"tools"`
	Context  []contextItem     `json:"context"`
	Resume   []resumeItem      `json:"resume"`

	messages []clientMessage // the messages, as far as they are read
	// instructions are what the front end says beside the newest message: its system messages and
	// its context, in words of the client's own.
	instructions string
	last         int // the newest of the user's, -1 without
	// brought are results of the client's tools behind that, up to the message of this place.
	results    *rounds.Results
	resultsEnd int
}

// contextItem is something that the front end shows or knows, in words for the AI.
type contextItem struct {
	Description string          `json:"description"`
	Value       json.RawMessage `json:"value"`
}

// words are the item as the AI reads it; "" for one that says nothing.
func (c *contextItem) text() string {
	value := strings.TrimSpace(string(c.Value))
	var text string
	if json.Unmarshal(c.Value, &text) == nil {
		value = text
	}
	if strings.TrimSpace(value) == "" {
		return strings.TrimSpace(c.Description)
	}
	if c.Description == "" {
		return value
	}
	return c.Description + ":\n" + value
}

// tool is one of the client's own.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// resumption is the answer to one interrupt.
type resumeItem struct {
	ID      string          `json:"interruptId"`
	Status  string          `json:"status"`
	Payload json.RawMessage `json:"payload"`
}

type clientMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	CallID  string          `json:"toolCallId"` // of a result
	Error   string          `json:"error"`
	pieces  []rounds.Piece
}

const (
	maxName    = 200
	maxMessage = 100_000
)

// readInput reads a body.
func readInput(body []byte) (*input, error) {
	in := &input{last: -1}
	if err := json.Unmarshal(body, in); err != nil {
		return nil, &domain.Error{Code: domain.CodeInvalid, Message: "The body is no RunAgentInput.", Err: err}
	}
	for _, name := range []struct{ at, text string }{{"/threadId", in.ChatID}, {"/runId", in.RunID}} {
		if name.text == "" || len(name.text) > maxName || !domain.IsName(name.text) {
			return nil, domain.Invalid(name.at, "required", "This is a line of %d bytes at most.", maxName)
		}
	}
	var sent []rounds.Piece
	var beside []string
	for i, raw := range in.Messages {
		var m clientMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, &domain.Error{Code: domain.CodeInvalid, Message: "A message cannot be read.", Err: err}
		}
		if m.Role == "user" {
			var err error
			if m.pieces, err = piecesOf(m.Content, fmt.Sprintf("/messages/%d/content", i)); err != nil {
				return nil, err
			}
			in.last, sent, in.results = len(in.messages), append(sent, m.pieces...), nil
		}
		if m.Role == "system" || m.Role == "developer" {
			pieces, err := piecesOf(m.Content, fmt.Sprintf("/messages/%d/content", i))
			if err != nil {
				return nil, err
			}
			beside = append(beside, rounds.TextOf(pieces))
		}
		if m.Role == roleTool {
			if err := in.addResult(&m, i); err != nil {
				return nil, err
			}
		}
		m.Content = nil // is read, and may be large; what the client holds is given back as it is
		in.messages = append(in.messages, m)
	}
	for i := range in.Context {
		beside = append(beside, in.Context[i].text())
	}
	in.Context = nil
	beside = slices.DeleteFunc(beside, func(text string) bool { return strings.TrimSpace(text) == "" })
	in.instructions = strings.Join(beside, "\n\n")
	if err := rounds.CheckTextSize(len(body), sent); err != nil {
		return nil, err
	}
	return in, in.check()
}

func (in *input) check() error {
	if in.last < 0 {
		return domain.Invalid("/messages", "required", "There is no message of the user.")
	}
	m := in.messages[in.last]
	text := rounds.TextOf(m.pieces)
	switch {
	case m.ID == "" || len(m.ID) > maxName:
		return domain.Invalid("/messages", "required", "A message has an id.")
	case strings.TrimSpace(text) == "" && len(rounds.Attachments(m.pieces)) == 0:
		return domain.Invalid("/messages", "required", "The message says nothing.")
	case len([]rune(in.instructions)) > maxMessage:
		return domain.Invalid("/context", "too_long", "context and system messages have %d characters together at most.", maxMessage)
	case len([]rune(text)) > maxMessage:
		return domain.Invalid("/messages", "too_long", "A message has %d characters at most.", maxMessage)
	}
	return nil
}
