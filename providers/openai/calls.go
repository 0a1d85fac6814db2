package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// call is one tool call while its pieces arrive.
type call struct {
	index     int // -1: none given
	id        string
	name      string
	arguments []byte
	shape     shape
	// Members that are not known here, of the call and of its function.
	own, ofFunction gathered
}

// callSet joins pieces into calls. Vendors differ: all calls at index 0 with ids of
// their own, no index at all, no id at all, the name repeated with each piece. So a
// piece belongs to the latest call that it does not contradict.
type callSet struct{ calls []*call }

// add takes a piece, and says how many bytes it kept beside what is in the piece's fields.
func (s *callSet) add(d *callDelta) (kept int) {
	c := s.find(d)
	if c == nil {
		if len(d.id) == 0 && len(d.name) == 0 && len(d.arguments) == 0 {
			return 0
		}
		c = &call{index: d.index}
		s.calls = append(s.calls, c)
	}
	if c.id == "" {
		c.id = string(d.id)
	}
	if c.name == "" {
		c.name = string(d.name)
	}
	c.arguments = append(c.arguments, d.arguments...)
	c.shape.feed(d.arguments)
	for _, m := range d.own {
		kept += c.own.add(m)
	}
	for _, m := range d.ofFunction {
		kept += c.ofFunction.add(m)
	}
	return kept
}

// extra are the members that only the model reads, as one object; "": there are none.
func (c *call) extra() string {
	if len(c.own)+len(c.ofFunction) == 0 {
		return ""
	}
	all := map[string]json.RawMessage(maps.Clone(c.own))
	if len(c.ofFunction) > 0 {
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all["function"] = asText(c.ofFunction)
	}
	return string(asText(all))
}

func (s *callSet) find(d *callDelta) *call {
	for _, c := range slices.Backward(s.calls) {
		if c.continuedBy(d) {
			return c
		}
		if d.index < 0 && len(d.id) == 0 {
			return nil // nothing distinguishes the calls: only the last one can continue
		}
	}
	return nil
}

// continuedBy reports whether d can be a further piece of c.
func (c *call) continuedBy(d *callDelta) bool {
	if c.index >= 0 && d.index >= 0 && c.index != d.index {
		return false
	}
	if c.id != "" && len(d.id) > 0 && c.id != string(d.id) {
		return false
	}
	if c.name != "" && len(d.name) > 0 && c.name != string(d.name) {
		return false
	}
	// A second object after a complete one is another call of the same name.
	if c.shape.complete() && bytes.HasPrefix(bytes.TrimSpace(d.arguments), []byte("{")) {
		return false
	}
	return true
}

// raw gives the calls the server's own ids. A provider's id that repeats within the
// answer is dropped: sent back, it would pair two calls with one result.
func (s *callSet) raw(newID domain.IDSource) []domain.RawCall {
	if len(s.calls) == 0 {
		return nil
	}
	seen := map[string]bool{}
	out := make([]domain.RawCall, len(s.calls))
	for i, c := range s.calls {
		out[i] = domain.RawCall{ID: newID("call"), Name: c.name, Arguments: string(c.arguments), Extra: c.extra()}
		if !seen[c.id] {
			out[i].ProviderID = c.id
			seen[c.id] = true
		}
	}
	return out
}

// names are those of the calls.
func (s *callSet) names() []string {
	var names []string
	for _, c := range s.calls {
		names = append(names, c.name)
	}
	return names
}

// whole reports whether the arguments of every call are complete.
func (s *callSet) whole() bool {
	for _, c := range s.calls {
		if !c.shape.complete() {
			return false
		}
	}
	return true
}

// shape follows the brackets of a JSON text as it grows, so that no piece makes the
// whole text be read again.
type shape struct {
	depth            int
	opened           bool
	inString, escape bool
}

func (s *shape) feed(b []byte) {
	for _, c := range b {
		switch {
		case s.escape:
			s.escape = false
		case s.inString:
			s.escape = c == '\\'
			s.inString = c != '"'
		case c == '"':
			s.inString = true
		case c == '{' || c == '[':
			s.depth++
			s.opened = true
		case c == '}' || c == ']':
			s.depth--
		}
	}
}

// complete: an object was opened and closed again.
func (s *shape) complete() bool { return s.opened && s.depth <= 0 && !s.inString }
