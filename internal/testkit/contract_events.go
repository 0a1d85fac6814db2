package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// passing are the events that are not stored; the stored ones are in the contract's
// schema Event.
var passing = map[string][]string{
	"snapshot":          {"SessionSnapshot", "WorkspaceSnapshot"},
	"message.delta":     {"MessageDelta"},
	"message.discarded": {"MessageDiscarded"},
	"message.snapshot":  {"MessageSnapshot"},
	"reset":             {"Reset"},
	"bye":               {"Bye"},
}

// checkedStream checks the events of a stream while somebody else reads it.
type checkedStream struct {
	io.ReadCloser
	c    *ContractTransport
	path string
	left []byte // a line that is not whole yet
	name string
	data []byte
}

func (s *checkedStream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.left = append(s.left, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(s.left, []byte("\n"))
		if !whole {
			return n, err
		}
		s.left = rest
		s.line(string(bytes.TrimSuffix(line, []byte("\r"))))
	}
}

func (s *checkedStream) line(line string) {
	switch {
	case line == "":
		if s.data != nil {
			s.c.checkEvent(s.path, s.name, s.data)
		}
		s.name, s.data = "", nil
	case strings.HasPrefix(line, "event:"):
		s.name = strings.TrimSpace(line[len("event:"):])
	case strings.HasPrefix(line, "data:"):
		s.data = append(s.data, strings.TrimPrefix(line[len("data:"):], " ")...)
	}
}

func (c *ContractTransport) checkEvent(path, name string, data []byte) {
	schemas := passing[name]
	if ref, stored := c.doc.Components.Schemas["Event"].Value.Discriminator.Mapping[name]; stored {
		event := c.doc.Components.Schemas[ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]].Value
		of := event.Properties["data"].Ref
		schemas = []string{of[strings.LastIndex(of, "/")+1:]}
	}
	var last error
	for _, s := range schemas {
		if last = c.visit(s, data); last == nil {
			return
		}
	}
	if last == nil {
		last = fmt.Errorf("the contract has no event of this name")
	}
	c.reportf("%s: the event %q does not keep the contract: %v\n%s", path, name, last, data)
}

// visit holds JSON to a schema of the contract.
func (c *ContractTransport) visit(schema string, data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return c.doc.Components.Schemas[schema].Value.VisitJSON(v)
}
