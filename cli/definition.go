package cli

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxDefinition bounds a file that defines something, in bytes: it is the body of one request.
const maxDefinition = 1 << 20

// errNothingSaid: a file that changes nothing is likely the wrong one.
var errNothingSaid = errors.New("the file says nothing: it is empty, or no object")

// readDefinition reads a YAML or JSON file as the body of a request; "-" is the input.
func readDefinition(cc *Context, name string) (map[string]any, error) {
	text, err := readFile(cc, name, maxDefinition)
	if err != nil {
		return nil, err
	}
	var ask map[string]any
	if err := yaml.Unmarshal(text, &ask); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return ask, nil
}
