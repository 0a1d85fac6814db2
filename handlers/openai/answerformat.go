package openai

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// Types of a format of the answer.
const (
	formatText   = "text"
	formatSchema = "json_schema"
	formatObject = "json_object"
)

// AnswerFormat is the format of the answer in a request, and in a response.
type AnswerFormat struct {
	Type string `json:"type"`
	namedSchema
	// JSONSchema is where chat completions have the schema.
	JSONSchema *namedSchema `json:"json_schema,omitempty"`
}

// namedSchema is a JSON Schema with a name.
type namedSchema struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// Limits of what names a format, in bytes.
const (
	maxFormatName  = 64
	maxFormatWords = 4_000
)

// anyObject is the schema of json_object.
var anyObject = json.RawMessage(`{"type":"object"}`)

// ReadAnswerFormat returns the format of the answer in a request; nil for text. pointer locates the format, and
// within names the field of it that has the schema; "" for none.
func ReadAnswerFormat(given json.RawMessage, pointer, within string) (*domain.AnswerFormat, error) {
	if !IsGiven(given) {
		return nil, nil //nolint:nilnil // text
	}
	var format AnswerFormat
	if json.Unmarshal(given, &format) != nil {
		return nil, domain.Invalid(pointer, "wrong_type", "The format of the answer is an object with a type.")
	}
	own, at := &format.namedSchema, pointer
	if within != "" {
		own, at = format.JSONSchema, pointer+"/"+within
	}
	switch format.Type {
	case formatText:
		return nil, nil //nolint:nilnil // text
	case formatObject:
		return &domain.AnswerFormat{Schema: anyObject}, nil
	case formatSchema:
	default:
		return nil, domain.Invalid(pointer+"/type", "not_supported", "The format of the answer is text, json_schema or json_object.")
	}
	switch {
	case own == nil || !IsGiven(own.Schema):
		return nil, domain.Invalid(at, "required", "A format of type json_schema needs a schema.")
	case len(own.Name) > maxFormatName || !visible.IsName(own.Name):
		return nil, domain.Invalid(at+"/name", "not_a_name", "The name of a format is a line of %d bytes at most.", maxFormatName)
	case len(own.Description) > maxFormatWords:
		return nil, domain.Invalid(at+"/description", "too_long", "The description of a format has %d bytes at most.", maxFormatWords)
	}
	if err := api.CheckAnswerSchema(own.Schema, at+"/schema"); err != nil {
		return nil, err
	}
	return &domain.AnswerFormat{
		Name: own.Name, Description: own.Description, Schema: own.Schema, Strict: own.Strict != nil && *own.Strict,
	}, nil
}

// AnswerFormatOf returns the format of a message as responses have it.
func AnswerFormatOf(m *domain.Message) AnswerFormat {
	if m.Tools == nil || m.Tools.Answer == nil {
		return AnswerFormat{Type: formatText}
	}
	of := m.Tools.Answer
	if of.Name == "" && string(of.Schema) == string(anyObject) {
		return AnswerFormat{Type: formatObject}
	}
	return AnswerFormat{
		Type: formatSchema, namedSchema: namedSchema{Name: of.Name, Description: of.Description, Schema: of.Schema, Strict: &of.Strict},
	}
}
