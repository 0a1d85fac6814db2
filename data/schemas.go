package data

import (
	"encoding/json"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// Schemas validates values against JSON Schemas, and reports problems as domain errors. The zero value is
// ready.
type Schemas struct{ cache schema.Cache }

// Check holds a value against a schema: all that is wrong is reported at once, each
// mistake with its pointer below prefix.
func (s *Schemas) Check(shape, value json.RawMessage, prefix string) error {
	err := s.cache.Check(shape, value, prefix)
	wrong, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	found := &domain.Error{Code: domain.CodeInvalid, Message: wrong.Message}
	for _, m := range wrong.Mistakes {
		found.Fields = append(found.Fields, domain.FieldError(m))
	}
	return found
}

// Compile returns the problem of a schema itself; nil: it can be used.
func (s *Schemas) Compile(shape json.RawMessage) error { return s.cache.Compile(shape) }

// Unread is the error for a value that jsonbody.Value did not read; what ends with "is"
// or "are".
func Unread(pointer, what string, err error) *domain.Error {
	m := jsonbody.Unread(pointer, what, err)
	return &domain.Error{Code: domain.CodeInvalid, Message: m.Message, Fields: []domain.FieldError{domain.FieldError(m)}}
}
