package openai

import "encoding/json"

// chunk is one event of a stream, or a whole answer: the wire has the same shape for
// both but for the name of one member. It is used again for each event, so that a
// stream costs no memory but its text.
type chunk struct {
	model    []byte
	text     []byte
	thinking []byte
	refusal  []byte
	finish   []byte
	calls    []callDelta
	fields   thoughtFields // in which the thoughts came
	members  []member      // of the message, which only their model reads
	usage    []byte        // raw JSON, part of the decoded text
	failure  []byte        // raw JSON of "error"
	choice   bool          // there was a choice
}

// callDelta is a piece of a tool call.
type callDelta struct {
	index      int // -1: none given
	id         []byte
	name       []byte
	arguments  []byte
	own        []member // of the call that are not known here
	ofFunction []member // of its function
}

// member is a member of an object as it came. Its value is a part of the decoded text.
type member struct {
	name  string
	value []byte
}

func (c *chunk) reset() {
	c.model, c.text, c.thinking, c.refusal = c.model[:0], c.text[:0], c.thinking[:0], c.refusal[:0]
	c.finish, c.calls, c.usage, c.failure, c.choice = c.finish[:0], c.calls[:0], nil, nil, false
	c.fields, c.members = 0, c.members[:0]
}

// decode reads data, which must be one JSON object.
func (c *chunk) decode(data []byte) error {
	c.reset()
	s := &scanner{b: data}
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "choices":
			c.choices(s)
		case "usage":
			if !s.null() {
				c.usage = s.raw()
			}
		case "error":
			if !s.null() {
				c.failure = s.raw()
			}
		case "model":
			c.model = optional(s, c.model)
		default:
			s.skip()
		}
	}
	if !s.end() {
		return errNotJSON
	}
	return nil
}

// optional takes a string; anything else is skipped.
func optional(s *scanner, dst []byte) []byte {
	if s.peek() == '"' {
		return s.text(dst)
	}
	s.skip()
	return dst
}

// choices reads the first choice: one is asked for.
func (c *chunk) choices(s *scanner) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	for more := s.open('['); more; more = s.next('[') {
		if c.choice || s.peek() != '{' {
			s.skip()
			continue
		}
		c.choice = true
		for more := s.open('{'); more; more = s.next('{') {
			switch string(s.key()) {
			case "delta", "message":
				c.delta(s)
			case "finish_reason":
				c.finish = optional(s, c.finish)
			case "usage": // Moonshot puts it here
				if !s.null() {
					c.usage = s.raw()
				}
			case "error": // OpenRouter puts it here
				if !s.null() {
					c.failure = s.raw()
				}
			default:
				s.skip()
			}
		}
	}
}

func (c *chunk) delta(s *scanner) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	for more := s.open('{'); more; more = s.next('{') {
		switch name := string(s.key()); name {
		case "content":
			c.content(s)
		case fieldReasoningContent, fieldReasoning:
			c.thought(s, name)
		case "refusal":
			c.refusal = optional(s, c.refusal)
		case "tool_calls":
			c.toolCalls(s)
		case "function_call": // what tool_calls were called before
			if s.peek() == '{' {
				c.newCall().function(s)
			} else {
				s.skip()
			}
		case "reasoning_details", "thinking_blocks", "extra_content":
			c.members = appendMember(c.members, s, name)
		default:
			s.skip()
		}
	}
}

// thought reads thoughts in one of their fields. Some servers send both with the same text.
func (c *chunk) thought(s *scanner, field string) {
	if s.peek() != '"' {
		s.skip()
		return
	}
	c.fields |= fieldOf(field)
	if len(c.thinking) > 0 {
		s.skip()
		return
	}
	c.thinking = s.text(c.thinking)
}

// appendMember reads a member that is not understood here; null is none.
func appendMember(to []member, s *scanner, name string) []member {
	if s.null() {
		return to
	}
	if value := s.raw(); value != nil {
		to = append(to, member{name: name, value: value})
	}
	return to
}

// content is a string, or (Mistral's thinking models) a list of parts.
func (c *chunk) content(s *scanner) {
	if s.peek() != '[' {
		c.text = optional(s, c.text)
		return
	}
	var parts []part
	if json.Unmarshal(s.raw(), &parts) != nil {
		return
	}
	for _, p := range parts {
		c.text = appendClean(c.text, p.Text)
		for _, t := range p.Thinking {
			c.thinking = appendClean(c.thinking, t.Text)
		}
	}
}

type part struct {
	Text     string `json:"text"`
	Thinking []part `json:"thinking"`
}

// appendClean appends text that came through encoding/json, which leaves NUL.
func appendClean(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] == 0 {
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, s[i])
		}
	}
	return dst
}

func (c *chunk) toolCalls(s *scanner) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	for more := s.open('['); more; more = s.next('[') {
		if s.peek() != '{' || len(c.calls) > maxCalls { // one too many is enough to refuse it all
			s.skip()
			continue
		}
		d := c.newCall()
		for more := s.open('{'); more; more = s.next('{') {
			switch name := string(s.key()); name {
			case "index":
				if n, ok := s.number(); ok {
					d.index = n
				}
			case "id":
				d.id = optional(s, d.id)
			case "function":
				d.function(s)
			case "type", "":
				s.skip()
			default:
				d.own = appendMember(d.own, s, name)
			}
		}
	}
}

// newCall adds a piece, with the memory of an earlier one where there is some.
func (c *chunk) newCall() *callDelta {
	if len(c.calls) < cap(c.calls) {
		c.calls = c.calls[:len(c.calls)+1]
	} else {
		c.calls = append(c.calls, callDelta{})
	}
	d := &c.calls[len(c.calls)-1]
	d.index, d.id, d.name, d.arguments = -1, d.id[:0], d.name[:0], d.arguments[:0]
	d.own, d.ofFunction = d.own[:0], d.ofFunction[:0]
	return d
}

func (d *callDelta) function(s *scanner) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	for more := s.open('{'); more; more = s.next('{') {
		switch name := string(s.key()); name {
		case "name":
			d.name = optional(s, d.name)
		case "arguments":
			switch s.peek() {
			case '"':
				d.arguments = s.text(d.arguments)
			case '{', '[': // an object instead of its text
				d.arguments = append(d.arguments, s.raw()...)
			default:
				s.skip()
			}
		case "":
			s.skip()
		default:
			d.ofFunction = appendMember(d.ofFunction, s, name)
		}
	}
}
