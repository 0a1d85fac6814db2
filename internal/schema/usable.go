package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Codes of the mistakes of a schema.
const (
	codeTooLarge      = "too_large"
	codeRecursive     = "recursive"
	codeNotSupported  = "not_supported"
	codeInvalid       = "schema"
	codeUnsatisfiable = "unsatisfiable"
)

// CheckUsable returns an *Error for a schema that no value can be produced by: it is too large, not a schema,
// recursive, or contradicts itself. The pointers locate the cause below prefix.
func (s *Cache) CheckUsable(schema json.RawMessage, prefix string) error {
	_, err := s.compiled(schema)
	if err == nil {
		document, _ := jsonbody.Value(schema) // it has been compiled
		err = contradiction(document)
	}
	if err == nil {
		return nil
	}
	return single(below(prefix, mistakeOf(err)))
}

func below(prefix string, m jsonbody.Mistake) jsonbody.Mistake {
	m.Pointer = jsonbody.CutPointer(prefix + m.Pointer)
	if m.Message = strings.TrimSuffix(m.Message, ".") + "."; len(m.Message) > 1 {
		m.Message = strings.ToUpper(m.Message[:1]) + m.Message[1:]
	}
	return m
}

// mistakeOf describes why a schema cannot be used.
func mistakeOf(err error) jsonbody.Mistake {
	if own, ok := errors.AsType[*unusable](err); ok {
		return own.Mistake
	}
	if wrong, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if cause, ok := errors.AsType[*jsonschema.ValidationError](wrong.Err); ok {
			first := mistakesOf(cause, "").Mistakes[0]
			return jsonbody.Mistake{Pointer: first.Pointer, Code: codeInvalid, Message: "this is not a valid JSON Schema: " + first.Message}
		}
	}
	if wrong, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		_, pointer, _ := strings.Cut(wrong.URL, "#")
		return jsonbody.Mistake{Pointer: pointer, Code: codeInvalid, Message: fmt.Sprintf("the pattern cannot be used: %v", wrong.Err)}
	}
	return jsonbody.Mistake{Code: codeInvalid, Message: err.Error()}
}
