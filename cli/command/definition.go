package command

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxDefinition bounds a definition file, in bytes: it is sent as one request.
const maxDefinition = 1 << 20

// ErrEmptyDefinition: a file that changes nothing is probably the wrong one.
var ErrEmptyDefinition = errors.New("the file is empty, or not an object")

// ReadDefinition reads a YAML or JSON file as a request body; "-" is the standard input.
func ReadDefinition(cc *Context, name string) (map[string]any, error) {
	text, err := ReadFile(cc, name, maxDefinition)
	if err != nil {
		return nil, err
	}
	var ask map[string]any
	if err := yaml.Unmarshal(text, &ask); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return ask, nil
}
