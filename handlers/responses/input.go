package responses

import (
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// Input serves GET /v1/responses/{response_id}/input_items.
type Input struct {
	openai.ErrorWriter
	Config
}

type inputMessageItem struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Status  string   `json:"status"`
	Role    string   `json:"role"`
	Content []fields `json:"content"`
}

type fields map[string]string

// inputOf returns the content of a user message: the text, and the files by their ids.
func inputOf(rich *domain.RichContent) []fields {
	var parts []fields
	if text := rounds.UserText(rich); text != "" || len(rich.Files()) == 0 {
		parts = append(parts, fields{"type": "input_text", "text": text})
	}
	for _, f := range rich.Files() {
		kind := "input_file"
		if f.IsPicture() {
			kind = "input_image"
		}
		parts = append(parts, fields{"type": kind, "file_id": f.ID, "filename": f.Name})
	}
	return parts
}

// Serve writes the message that began the round of a response.
func (d *Input) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	_, message, err := d.findMessage(r.Context(), d.Round(who), r.PathValue(pathResponse))
	if err != nil {
		return err
	}
	items, ids := []any{}, [2]string{message.ID, message.ID}
	if message.Sender == domain.SenderUser {
		items = append(items, inputMessageItem{message.ID, "message", statusCompleted, openai.RoleUser, inputOf(message.Rich)})
	} else {
		for _, item := range resultsOf(message) {
			items = append(items, item)
		}
		if n := len(items); n > 0 {
			ids = [2]string{items[0].(*inputResult).ID, items[n-1].(*inputResult).ID}
		}
	}
	openai.WriteJSON(w, struct {
		Object  string `json:"object"`
		Data    []any  `json:"data"`
		FirstID string `json:"first_id"`
		LastID  string `json:"last_id"`
		HasMore bool   `json:"has_more"`
	}{"list", items, ids[0], ids[1], false})
	return nil
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
				ID: "fco_" + strings.TrimPrefix(call, "call_"), Type: itemResult, Status: statusCompleted, CallID: call, Output: r.Text,
			})
		}
	}
	return items
}
