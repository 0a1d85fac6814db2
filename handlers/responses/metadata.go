package responses

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// metadata is what is stored of a request in addition to its message.
type metadata struct {
	Model      string            `json:"model,omitempty"`
	Background bool              `json:"background,omitempty"`
	Previous   string            `json:"previous_response_id,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
	User       string            `json:"user,omitempty"`
	// NotStored is set if the client sent store: false. The session is stored nevertheless.
	NotStored bool `json:"not_stored,omitempty"`
	// Unoffered are the tools of the request that the model was not offered.
	Unoffered []openai.UnofferedTool `json:"tools_not_offered,omitempty"`
}

// readMetadata returns the metadata of the request that brought a message. Messages of other
// protocols have default metadata.
func (c *Config) readMetadata(ctx context.Context, x *rounds.Round) (metadata, error) {
	of := metadata{}
	request, err := c.requestOf(ctx, x)
	if err == nil && request != "" {
		err = json.Unmarshal([]byte(request), &of)
	}
	if of.Model == "" {
		of.Model = openai.ModelSession
	}
	return of, err
}

// requestOf returns the metadata of the request that brought a message or tool results.
func (c *Config) requestOf(ctx context.Context, x *rounds.Round) (string, error) {
	approval, ok := domain.ClientResultsOf(x.Found.Message)
	if !ok {
		return c.Requests.RequestOf(ctx, x.Caller.Workspace, x.Found.Session, x.Found.Message)
	}
	asked, err := c.Approvals.Approval(ctx, x.Caller.Workspace, approval)
	if err != nil {
		return "", err
	}
	var decision struct {
		Request json.RawMessage `json:"request"`
	}
	err = json.Unmarshal(asked.Decision, &decision)
	return string(decision.Request), err
}
