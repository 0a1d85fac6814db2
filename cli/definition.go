package cli

import (
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// maxDefinition bounds a file that defines something, in bytes: it is the body of one request.
const maxDefinition = 1 << 20

// readDefinition reads a YAML or JSON file as the body of a request; "-" is the input.
func readDefinition(cc *Context, name string) (map[string]any, error) {
	in := cc.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the file: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxDefinition+1))
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if len(text) > maxDefinition {
		return nil, fmt.Errorf("the file is longer than %d bytes", maxDefinition)
	}
	var ask map[string]any
	if err := yaml.Unmarshal(text, &ask); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return ask, nil
}
