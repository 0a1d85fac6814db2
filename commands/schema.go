package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// maxSchema bounds a schema that people or models give, in bytes.
	maxSchema = 64 << 10
	// maxCached bounds the compiled schemas that are kept.
	maxCached = 512
)

// schemaCache keeps compiled schemas by the hash of their text. The zero value is
// ready.
type schemaCache struct {
	mu    sync.Mutex
	known map[string]*jsonschema.Schema
}

// denyAll refuses to load anything: a schema that a model wrote must not read files
// or call out.
type denyAll struct{}

func (denyAll) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may not refer outside itself (%s)", url)
}

const schemaURL = "schema:///this.json"

// compile gives the compiled schema.
func (s *schemaCache) compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	key := hash(string(schema))
	s.mu.Lock()
	defer s.mu.Unlock()
	if compiled, ok := s.known[key]; ok {
		return compiled, nil
	}
	compiled, err := compileSchema(schema)
	if err != nil {
		return nil, err
	}
	if s.known == nil || len(s.known) >= maxCached {
		s.known = map[string]*jsonschema.Schema{}
	}
	s.known[key] = compiled
	return compiled, nil
}

func compileSchema(schema json.RawMessage) (*jsonschema.Schema, error) {
	if len(schema) > maxSchema {
		return nil, fmt.Errorf("the schema has %d bytes; at most %d are allowed", len(schema), maxSchema)
	}
	document, err := parseJSON(schema)
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

// check holds a value against a schema. All that is wrong is reported at once, each
// with its pointer below prefix.
func (s *schemaCache) check(schema, value json.RawMessage, prefix string) error {
	compiled, err := s.compile(schema)
	if err != nil {
		return domain.Invalid(prefix, "schema", "The schema itself cannot be used: %v.", err)
	}
	instance, err := parseJSON(value)
	if err != nil {
		return unreadJSON(prefix, "This is", err)
	}
	err = compiled.Validate(instance)
	var wrong *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return schemaErrors(wrong, prefix)
	default:
		return domain.Invalid(prefix, "schema", "The value could not be checked: %v.", err)
	}
}
