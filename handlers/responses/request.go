package responses

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
)

// request is what is decoded of a request for a response. Other fields (temperature,
// truncation …) are ignored: they are part of the provider's configuration.
type request struct {
	Model        string            `json:"model"`
	Input        json.RawMessage   `json:"input"`
	Instructions json.RawMessage   `json:"instructions"`
	Stream       bool              `json:"stream"`
	Background   bool              `json:"background"`
	Store        *bool             `json:"store"`
	Previous     string            `json:"previous_response_id"`
	Talk         json.RawMessage   `json:"conversation"`
	Metadata     map[string]string `json:"metadata"`
	Tools        json.RawMessage   `json:"tools"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Parallel     *bool             `json:"parallel_tool_calls"`
	Prompt       json.RawMessage   `json:"prompt"`
	Text         json.RawMessage   `json:"text"`
	User         string            `json:"user"`
	Safety       string            `json:"safety_identifier"`

	answer    *domain.AnswerFormat   // of Text; nil: text
	unoffered []openai.UnofferedTool // set after Tools were read
}

// Limits of metadata, as OpenAI has them.
const (
	maxMetadata      = 16
	maxMetadataName  = 64
	maxMetadataValue = 512
)

func readRequest(body []byte) (*request, error) {
	var r request
	if err := jsonbody.Fill(body, &r); err != nil {
		return nil, openai.WrongType(err)
	}
	switch {
	case r.Model == "":
		return nil, domain.Invalid("/model", "required", "model is missing. Try %q.", openai.ModelSession)
	case r.Model == openai.ModelRaw:
		return nil, domain.Invalid("/model", "not_supported",
			"%s is a plain call, of which nothing is kept: send it to chat completions. Here the model is %q.", openai.ModelRaw, openai.ModelSession)
	case !openai.IsGiven(r.Input):
		return nil, domain.Invalid("/input", "required", "input is missing: a text, or a list of messages.")
	case openai.IsGiven(r.Prompt):
		return nil, domain.Invalid("/prompt", "not_supported", "There are no stored prompts here: send their text as input.")
	case r.Previous != "" && openai.IsGiven(r.Talk):
		return nil, domain.Invalid("/conversation", "not_allowed", "previous_response_id names the session already: send one of the two.")
	}
	if err := cmp.Or(r.user().Check(), r.readFormat()); err != nil {
		return nil, err
	}
	return &r, r.checkMetadata()
}

func (r *request) user() openai.User { return openai.User{User: r.User, SafetyIdentifier: r.Safety} }

// readFormat reads the format of the answer.
func (r *request) readFormat() error {
	if !openai.IsGiven(r.Text) {
		return nil
	}
	var text struct {
		Format json.RawMessage `json:"format"`
	}
	if json.Unmarshal(r.Text, &text) != nil {
		return domain.Invalid("/text", "wrong_type", "text takes an object with a format.")
	}
	var err error
	r.answer, err = openai.ReadAnswerFormat(text.Format, "/text/format", "")
	return err
}

func (r *request) checkMetadata() error {
	if len(r.Metadata) > maxMetadata {
		return domain.Invalid("/metadata", "too_many", "metadata has %d names at most.", maxMetadata)
	}
	for name, value := range r.Metadata {
		if utf8.RuneCountInString(name) > maxMetadataName || utf8.RuneCountInString(value) > maxMetadataValue {
			return domain.Invalid("/metadata", "too_long",
				"A name of metadata has %d characters at most, a value %d.", maxMetadataName, maxMetadataValue)
		}
	}
	return nil
}

// instructions returns the client's instructions for the model.
func (r *request) instructions() (string, error) {
	if !openai.IsGiven(r.Instructions) {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(r.Instructions, &text); err != nil {
		return "", domain.Invalid("/instructions", "wrong_type", "instructions takes a text.")
	}
	return text, nil
}

// sessionName returns the name of the session in conversation; "" for none.
func (r *request) sessionName() (string, error) {
	if !openai.IsGiven(r.Talk) {
		return "", nil
	}
	var name string
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(r.Talk, &name) != nil {
		if json.Unmarshal(r.Talk, &object) != nil {
			return "", domain.Invalid("/conversation", "wrong_type", "conversation takes an id, or an object with one.")
		}
		name = object.ID
	}
	if name = strings.TrimSpace(name); name == "" || len(name) > openai.MaxName || !visible.IsName(name) {
		return "", domain.Invalid("/conversation", "not_a_name", "conversation takes a line of %d bytes at most.", openai.MaxName)
	}
	return name, nil
}

// metadata returns what is stored of the request in addition to its message.
func (r *request) metadata() metadata {
	return metadata{
		NotStored: r.Store != nil && !*r.Store, Unoffered: r.unoffered,
		Model: r.Model, Background: r.Background, Previous: r.Previous, Metadata: r.Metadata, User: r.User,
	}
}
