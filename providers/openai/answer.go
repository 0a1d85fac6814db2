package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// answer accumulates chunks. It is reused between calls.
type answer struct {
	events   events
	chunk    chunk
	text     []byte
	thinking []byte
	calls    callSet
	finish   string
	refused  bool
	model    string
	usage    []byte // raw JSON
	size     int
	think    thinkTags
	fields   thoughtFields
	members  gathered // of the message, which only its model reads
	onDelta  func(providers.Delta)
	first    time.Time
}

var answers = sync.Pool{New: func() any { return new(answer) }}

const maxPooled = 256 << 10

// release gives the memory back, but for that of unusually large answers.
func (a *answer) release() {
	if cap(a.text)+cap(a.thinking)+cap(a.events.data)+len(a.events.lines.buf) > maxPooled {
		return
	}
	for i := range a.chunk.calls[:cap(a.chunk.calls)] {
		if d := &a.chunk.calls[:cap(a.chunk.calls)][i]; cap(d.arguments) > maxPooled/16 {
			d.arguments = nil
		}
	}
	a.events.lines.from, a.onDelta, a.calls = nil, nil, callSet{}
	answers.Put(a)
}

func (a *answer) start(f abilities, onDelta func(providers.Delta)) {
	a.text, a.thinking, a.calls = a.text[:0], a.thinking[:0], callSet{}
	a.finish, a.refused, a.model, a.usage, a.size = "", false, "", a.usage[:0], 0
	a.think, a.fields, a.members = thinkTags{on: f.thinkTags}, 0, nil
	a.onDelta, a.first = onDelta, time.Time{}
}

// add adds the decoded chunk.
func (a *answer) add() error {
	c := &a.chunk
	if a.model == "" && len(c.model) > 0 {
		a.model = string(c.model)
	}
	if c.usage != nil {
		a.usage = append(a.usage[:0], c.usage...) // some servers send it with each chunk: the last one counts
	}
	if providers.FinishOf(string(c.finish)) == providers.FinishNone {
		c.finish = c.finish[:0] // "null" until the end
	} else {
		a.finish = string(c.finish)
	}
	a.piece(providers.DeltaThinking, c.thinking)
	if len(c.text) > 0 {
		a.think.feed(c.text, a.piece)
	}
	if len(c.refusal) > 0 {
		a.refused = true
		a.piece(providers.DeltaText, c.refusal)
	}
	if len(c.calls) > maxCalls {
		return errTooLarge // before each is held against all others
	}
	a.fields |= c.fields
	for _, m := range c.members {
		a.size += a.members.add(m)
	}
	for i := range c.calls {
		d := &c.calls[i]
		a.size += len(d.id) + len(d.name) + a.calls.add(d)
		a.piece(providers.DeltaArguments, d.arguments)
		a.seen()
	}
	if a.size > maxAnswer || len(a.calls.calls) > maxCalls {
		return errTooLarge
	}
	return nil
}

// complete: it was said why the answer ends.
func (a *answer) complete() bool { return a.finish != "" }

// said reports whether the latest event contained a part of the answer.
func (a *answer) said() bool {
	c := &a.chunk
	return len(c.text)+len(c.thinking)+len(c.refusal)+len(c.calls) > 0
}

// object reports whether an event must be decoded.
func (a *answer) object(data []byte) bool {
	// A web page and a list with a failure are shown as what they are.
	return providers.IsObject(data) || bytes.HasPrefix(data, []byte{'<'}) || bytes.Contains(data, []byte(`"error"`))
}

// used is what the answer cost.
func (a *answer) used(p *domain.Price) domain.Usage {
	var u usage
	if json.Unmarshal(a.usage, &u) != nil {
		u = usage{} // unreadable, or none: counted as none
	}
	return u.domain(p)
}

// seen notes when the first piece of the answer came.
func (a *answer) seen() {
	if a.first.IsZero() {
		a.first = clock.System()
	}
}

// piece stores a piece of text and passes it to OnDelta.
func (a *answer) piece(kind providers.DeltaKind, text []byte) {
	if len(text) == 0 {
		return
	}
	a.seen()
	a.size += len(text)
	switch kind {
	case providers.DeltaText:
		a.text = append(a.text, text...)
	case providers.DeltaThinking:
		a.thinking = append(a.thinking, text...)
	}
	if a.onDelta != nil {
		a.onDelta(providers.Delta{Kind: kind, Text: string(text)})
	}
}

// raw returns the finished answer, or the reason why there is none. It is called after the end mark
// or the finish reason.
func (a *answer) raw(kind, origin string, protocol domain.Protocol, newID domain.IDSource) (*domain.RawAnswer, error) {
	a.think.flush(a.piece)
	raw := &domain.RawAnswer{Protocol: protocol, Text: string(a.text), Model: a.model, Provider: kind, StopReason: domain.StopWhole}
	if len(a.thinking) > 0 {
		raw.Thinking = []domain.Thinking{{Text: string(a.thinking)}}
	}
	finish := providers.FinishOf(a.finish)
	if failure := finish.Failure(a.finish, raw.Text); failure != nil {
		return nil, failure
	}
	switch finish {
	case providers.FinishNone:
		// Gateways put the end mark behind what they got, complete or not. So without
		// a reason something must be there, and calls must have closed arguments.
		if (raw.Text == "" && len(a.calls.calls) == 0) || !a.calls.whole() {
			return nil, a.brokeOff()
		}
	case providers.FinishLength: // the last call may be cut in the middle: none is returned
		return providers.Incomplete(raw, domain.StopLength, a.finish, a.calls.names()), nil
	case providers.FinishMalformed:
		return providers.Incomplete(raw, domain.StopMalformed, a.finish, a.calls.names()), nil
	case providers.FinishUnknown:
		if len(a.calls.calls) == 0 || !a.calls.whole() {
			return providers.Incomplete(raw, domain.StopUnknown, a.finish, a.calls.names()), nil
		}
	}
	if raw.Calls = a.calls.raw(newID); len(raw.Calls) > 0 {
		raw.StopReason = domain.StopCalls
		a.giveBack(raw, origin)
	} else if a.refused {
		raw.StopReason = domain.StopRefused
	}
	return raw, nil
}

// giveBack stores what the model requires back beside its calls.
func (a *answer) giveBack(raw *domain.RawAnswer, origin string) {
	data := givenBack{Field: a.fields.name(), Members: a.members}.data()
	if data != "" {
		raw.Thinking = []domain.Thinking{{Text: string(a.thinking), Data: data}}
	}
	if data != "" || slices.ContainsFunc(raw.Calls, func(c domain.RawCall) bool { return c.Extra != "" }) {
		raw.Origin = origin
	}
}

// brokeOff is the error of an incomplete answer, with the received text.
func (a *answer) brokeOff() error {
	e := *errBrokeOff
	e.Text = string(a.text)
	return &e
}

var errBrokeOff = providers.Errorf(providers.ClassNetwork, "the answer broke off before its end")
