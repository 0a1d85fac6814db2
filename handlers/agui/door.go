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
	"github.com/fermata-dev/fermata/internal/visible"
	"github.com/fermata-dev/fermata/rounds"
)

// Door serves POST /v1/agui.
type Door struct{ rounds.Config }

// run is a request in progress.
type run struct {
	*rounds.Round
	in *input
}

// Serve writes the events of a run. Errors before the first event have the form of the API; later
// ones are RUN_ERROR.
func (d *Door) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	in, err := readInput(body)
	if err != nil {
		return err
	}
	x := &run{Round: d.Round(who), in: in}
	defer x.Close()
	out := newWriter(w, in)
	if err := x.find(r.Context()); err != nil {
		return x.refuse(out, err)
	}
	in.Tools = nil // released, because the answer may take long
	if err := x.answer(r.Context(), out); err != nil {
		return x.refuse(out, err)
	}
	return x.stream(r, out)
}

// find stores the newest user message, or finds it where an earlier run stored it.
func (x *run) find(ctx context.Context) error {
	mustExist := len(x.in.Resume) > 0 || x.in.results != nil
	if !mustExist { // the tools of a stored message were checked
		if err := x.checkTools(ctx); err != nil {
			return err
		}
	}
	m := x.in.messages[x.in.last]
	return x.Find(ctx, "ag-ui", rounds.ClientMessage{
		Chat: x.in.ChatID, ID: m.ID, Pieces: m.pieces, Tools: x.in.clientTools(), MustExist: mustExist, Instructions: x.in.instructions,
	})
}

// answer submits tool results and the answers to approvals. Everything is validated first: a run
// that is rejected has changed nothing.
func (x *run) answer(ctx context.Context, out *writer) error {
	var called *domain.Approval // the approval that waits for the results
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
		if err := x.Submit(ctx, x.in.results, called); err != nil {
			return err
		}
		out.keepUpTo(x.in.resultsEnd)
	}
	return x.resume(ctx, decisions)
}

// refuse writes an error in the form of the protocol: a run that ends with it.
func (x *run) refuse(out *writer, err error) error {
	out.start()
	out.fail(x.Failure(err))
	return nil
}

// Refuse writes an error that occurred before Serve, as the API does.
func (d *Door) Refuse(w http.ResponseWriter, f *api.Failure) { rounds.WriteProblem(w, f) }

// input is the request of a client.
type input struct {
	ChatID   string            `json:"threadId"`
	RunID    string            `json:"runId"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []tool            `json:"tools"`
	Context  []contextItem     `json:"context"`
	Resume   []resumeItem      `json:"resume"`

	messages []clientMessage // the decoded messages
	// instructions are the system messages and the context of the front end, as text.
	instructions string
	last         int // index of the newest user message; -1: none
	// brought are results of the client's tools behind that, up to the message of this place.
	results    *rounds.Results
	resultsEnd int
}

// contextItem is something that the front end shows or knows, as text for the AI.
type contextItem struct {
	Description string          `json:"description"`
	Value       json.RawMessage `json:"value"`
}

// text returns the item as text; "" if it is empty.
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

// tool is a tool of the client.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// resumeItem is the answer to one interrupt.
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

// readInput decodes and validates the body.
func readInput(body []byte) (*input, error) {
	in := &input{last: -1}
	if err := json.Unmarshal(body, in); err != nil {
		return nil, &domain.Error{Code: domain.CodeInvalid, Message: "The body is not a RunAgentInput.", Err: err}
	}
	for _, name := range []struct{ at, text string }{{"/threadId", in.ChatID}, {"/runId", in.RunID}} {
		if name.text == "" || len(name.text) > maxName || !visible.IsName(name.text) {
			return nil, domain.Invalid(name.at, "required", "This must be one line of at most %d bytes.", maxName)
		}
	}
	var sent []rounds.Piece
	var beside []string
	for i, raw := range in.Messages {
		var m clientMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, &domain.Error{Code: domain.CodeInvalid, Message: "A message cannot be decoded.", Err: err}
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
		m.Content = nil // released: it may be large, and the client gets its messages back as they are
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
		return domain.Invalid("/messages", "required", "There is no user message.")
	}
	m := in.messages[in.last]
	text := rounds.TextOf(m.pieces)
	switch {
	case m.ID == "" || len(m.ID) > maxName:
		return domain.Invalid("/messages", "required", "The message needs an id.")
	case strings.TrimSpace(text) == "" && len(rounds.Attachments(m.pieces)) == 0:
		return domain.Invalid("/messages", "required", "The message is empty.")
	case len([]rune(in.instructions)) > maxMessage:
		return domain.Invalid("/context", "too_long", "context and system messages can have at most %d characters together.", maxMessage)
	case len([]rune(text)) > maxMessage:
		return domain.Invalid("/messages", "too_long", "A message can have at most %d characters.", maxMessage)
	}
	return nil
}
