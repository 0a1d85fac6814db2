package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/rounds"
)

// Tools of a client in responses: a response ends with calls of them, and their results begin
// another response.

// Types of items that are not messages.
const (
	itemCall   = "function_call"
	itemResult = "function_call_output"
)

// responseTool is a tool of a client, in its request and in its response.
type responseTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"` // null: arguments are not guaranteed to match the schema
}

// unofferedTool is a tool of a request that the model is not offered: this server does not run
// hosted tools such as web_search, and a call of a custom tool has no JSON arguments.
type unofferedTool struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

// maxUnofferedName bounds what a response repeats of such a tool, in characters.
const maxUnofferedName = 80

// requestTools are the tools of a request, sorted by whether a model can be offered them.
type requestTools struct {
	offered   *domain.ClientTools // nil: none
	positions []int               // of the offered tools in the request
	unoffered []unofferedTool     // each once, in the order of the request
}

// pointer returns the JSON pointer of an offered tool in the request.
func (t *requestTools) pointer(i int) string {
	if i < len(t.positions) {
		i = t.positions[i]
	}
	return fmt.Sprintf("/tools/%d", i)
}

// tools reads the tools of a request. Functions are offered to the model. Tools of other types are
// left out, because clients such as Codex send them with every request; the response names them.
func (r *responseRequest) tools() (requestTools, error) {
	var out requestTools
	wanted, err := offers(r.Tools, r.ToolChoice)
	if err != nil || !wanted {
		return out, err
	}
	var tools []json.RawMessage
	if err := json.Unmarshal(r.Tools, &tools); err != nil {
		return out, domain.Invalid("/tools", "wrong_type", "tools takes a list of functions.")
	}
	if len(tools) > domain.MaxClientTools {
		return out, domain.Invalid(fmt.Sprintf("/tools/%d", domain.MaxClientTools), "too_many",
			"A request has %d tools at most.", domain.MaxClientTools)
	}
	var offered []domain.ClientTool
	for i := range tools {
		var t responseTool
		if err := json.Unmarshal(tools[i], &t); err != nil || t.Type == "" {
			return out, domain.Invalid(fmt.Sprintf("/tools/%d", i), "not_supported",
				"A tool is an object with a type. A session takes tools of type function, with a name and parameters; "+
					"its own commands need not be sent.")
		}
		if t.Type != "function" {
			tool := unofferedTool{shorten.Characters(t.Type, maxUnofferedName), shorten.Characters(t.Name, maxUnofferedName)}
			if !slices.Contains(out.unoffered, tool) {
				out.unoffered = append(out.unoffered, tool)
			}
			continue
		}
		if !isGiven(t.Parameters) {
			t.Parameters = rounds.NoParams
		}
		offered = append(offered, domain.ClientTool{Name: t.Name, Description: t.Description, Params: t.Parameters})
		out.positions = append(out.positions, i)
	}
	if len(offered) > 0 {
		out.offered = &domain.ClientTools{List: offered, OneAtATime: r.Parallel != nil && !*r.Parallel}
	}
	return out, nil
}

// toolsOf returns the tools of a message in OpenAI's form.
func toolsOf(m *domain.Message) []responseTool {
	out := []responseTool{}
	if m.Tools != nil {
		for _, t := range m.Tools.List {
			out = append(out, responseTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Params})
		}
	}
	return out
}

// withoutCallItems removes call items: a client may send each before its result.
func withoutCallItems(all []inputMessage) []inputMessage {
	var rest []inputMessage
	for _, m := range all {
		if !m.isCall {
			rest = append(rest, m)
		}
	}
	return rest
}

// afterCalls submits tool results. name is the session that the client names in addition; "" for
// none.
func (a *responseState) afterCalls(ctx context.Context, results *rounds.Results, name string) (*location, error) {
	results, err := results.Latest(ctx, a.Record, a.identity.Workspace)
	if err != nil {
		return nil, err
	}
	asked, err := results.Approval(ctx, a.Record, a.identity.Workspace)
	if err != nil {
		return nil, err
	}
	if a.request.Previous != "" {
		session, _, err := a.findMessageOfResponse(ctx, a.request.Previous)
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			return nil, errNoPrevious
		case err != nil:
			return nil, err
		case session.ID != asked.SessionID:
			return nil, resultsOfAnotherSession("/previous_response_id")
		}
	}
	if name != "" && name != asked.SessionID {
		session, err := a.Record.Session(ctx, a.identity.Workspace, asked.SessionID)
		if err != nil {
			return nil, err
		}
		if name != session.ExternalID {
			return nil, resultsOfAnotherSession("/conversation")
		}
	}
	return a.submitResultsTo(ctx, asked, results)
}

// resultsOfAnotherSession is the error for results that belong to another session than the named
// one.
func resultsOfAnotherSession(pointer string) error {
	return domain.Invalid(pointer, "contradiction", "These are results of another session's calls. Nothing was changed.")
}

// findResults reads the session and the message of submitted results. Until the session has the
// slot, the message has only its id.
func (c *Config) findResults(ctx context.Context, workspace, session, approval string) (*domain.Session, *domain.Message, error) {
	asked, err := c.Record.Approval(ctx, workspace, approval)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return nil, nil, errNoResponse
	case err != nil:
		return nil, nil, err
	case asked.Kind != domain.ApprovalClientCalls || asked.SessionID != session || asked.Status != domain.ApprovalStatusApproved:
		return nil, nil, errNoResponse
	}
	return rounds.ResultsMessage(ctx, c.Record, asked)
}

// requestOf returns the metadata of the request that brought a message or tool results.
func (c *Config) requestOf(ctx context.Context, workspace string, at *location) (string, error) {
	approval, ok := domain.ClientResultsOf(at.message.ID)
	if !ok {
		return c.Histories.RequestOf(ctx, workspace, at.session, at.message.ID)
	}
	asked, err := c.Record.Approval(ctx, workspace, approval)
	if err != nil {
		return "", err
	}
	var decision struct {
		Request json.RawMessage `json:"request"`
	}
	err = json.Unmarshal(asked.Decision, &decision)
	return string(decision.Request), err
}

// inputResult is a tool result that a response continues from.
type inputResult struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// resultsOf returns the results in a message, in the order of their calls.
func resultsOf(m *domain.Message) []*inputResult {
	approval, _ := domain.ClientResultsOf(m.ID)
	if m.System == nil {
		return nil
	}
	var items []*inputResult
	for i := range m.System.CommandResults {
		if r := &m.System.CommandResults[i]; r.From != nil && r.From.Origin == domain.OriginClient {
			call := domain.ClientCallID(approval, len(items))
			items = append(items, &inputResult{
				ID: "fco_" + strings.TrimPrefix(call, "call_"), Type: itemResult, Status: responseCompleted, CallID: call, Output: r.Text,
			})
		}
	}
	return items
}

// callItem returns the item of a call of a client's tool.
func callItem(c *wireCall, status, arguments string) outputItem {
	return outputItem{
		ID: "fc_" + strings.TrimPrefix(c.ID, "call_"), Type: itemCall, Status: status,
		CallID: c.ID, Name: c.Function.Name, Arguments: &arguments,
	}
}

// emitCalls emits the calls that the client is to run. Events are numbered like those of text, by
// the position of their arguments.
func (t *responseWriter) emitCalls(seq int64, ask *openApproval) {
	place := 0
	next := func(width int) int64 {
		place += width
		return numberOf(seq, place)
	}
	calls := ask.calls(false)
	for i := range calls {
		c := &calls[i]
		begun, item := callItem(c, responseInProgress, ""), callItem(c, responseCompleted, c.Function.Arguments)
		t.emitEvent(&responseEvent{Type: "response.output_item.added", Number: next(1), Item: &begun})
		t.emitEvent(&responseEvent{
			Type: "response.function_call_arguments.delta", Number: next(utf8.RuneCountInString(*item.Arguments)),
			ItemID: item.ID, Delta: *item.Arguments,
		})
		t.emitEvent(&responseEvent{
			Type: "response.function_call_arguments.done", Number: next(1), ItemID: item.ID, Name: item.Name, Arguments: item.Arguments,
		})
		t.emitEvent(&responseEvent{Type: "response.output_item.done", Number: next(1), Item: &item})
		t.out.Output = append(t.out.Output, item)
	}
}
