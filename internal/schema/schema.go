package schema

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxSchema bounds a schema written by people or models, in bytes.
const maxSchema = 64 << 10

// Cache caches compiled schemas by the hash of their text. The zero value is ready, and safe for concurrent
// use.
type Cache struct {
	known cache.Map[[sha256.Size]byte, *jsonschema.Schema]
}

// denyAll loads nothing: a schema written by a model must not read files or make requests.
type denyAll struct{}

func (denyAll) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema must not refer to other documents (%s)", url)
}

const schemaURL = "schema:///this.json"

// Compile returns an error if a schema cannot be used.
func (s *Cache) Compile(schema json.RawMessage) error {
	_, err := s.compiled(schema)
	return err
}

func (s *Cache) compiled(schema json.RawMessage) (*jsonschema.Schema, error) {
	key := sha256.Sum256(schema)
	if compiled, ok := s.known.Get(key); ok {
		return compiled, nil
	}
	compiled, err := compileSchema(schema)
	if err != nil {
		return nil, err
	}
	s.known.Set(key, compiled)
	return compiled, nil
}

func compileSchema(schema json.RawMessage) (*jsonschema.Schema, error) {
	if len(schema) > maxSchema {
		return nil, &unusable{jsonbody.Mistake{
			Code: codeTooLarge, Message: fmt.Sprintf("the schema has %d bytes; at most %d are allowed", len(schema), maxSchema),
		}}
	}
	document, err := jsonbody.Value(schema)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	if err := (&unfolding{root: document}).walk(document); err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(denyAll{})
	compiler.AssertFormat()
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, fmt.Errorf("add the schema: %w", err)
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	return compiled, nil
}

// Check validates a value against a schema. It returns all problems at once, as an *Error, with pointers
// below prefix.
func (s *Cache) Check(schema, value json.RawMessage, prefix string) error {
	compiled, err := s.compiled(schema)
	if err != nil {
		return unchecked(prefix, "The schema itself cannot be used: %v.", err)
	}
	instance, err := jsonbody.Value(value)
	if err != nil {
		return single(jsonbody.Unread(prefix, "This is", err))
	}
	err = compiled.Validate(instance)
	var wrong *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return mistakesOf(wrong, prefix)
	default:
		return unchecked(prefix, "The value could not be checked: %v.", err)
	}
}

func unchecked(pointer, format string, err error) *Error {
	return single(jsonbody.Mistake{Pointer: pointer, Code: "schema", Message: fmt.Sprintf(format, err)})
}
