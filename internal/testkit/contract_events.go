package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// checkedStream validates the events of a stream while it is read.
type checkedStream struct {
	io.ReadCloser
	c    *ContractTransport
	path string
	left []byte // an incomplete line
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

// checkEvent validates an event against the schema of its data in this kind of stream; the data contains
// the name too.
func (c *ContractTransport) checkEvent(path, name string, data []byte) {
	union := "WorkspaceEventData"
	if strings.HasPrefix(path, "/v1/sessions/") {
		union = "SessionEventData"
	}
	ref, known := c.doc.Components.Schemas[union].Value.Discriminator.Mapping[name]
	if !known {
		c.reportf("%s: the contract has no event %q there\n%s", path, name, data)
		return
	}
	if err := c.visit(ref.Ref[strings.LastIndex(ref.Ref, "/")+1:], data); err != nil {
		c.reportf("%s: the event %q does not match the contract: %v\n%s", path, name, err, data)
	}
}

// visit validates JSON against a schema of the contract.
func (c *ContractTransport) visit(schema string, data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return c.doc.Components.Schemas[schema].Value.VisitJSON(v)
}
