package openai

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// answer gathers chunks. It is used again from call to call.
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
	a.think = thinkTags{on: f.thinkTags}
	a.onDelta, a.first = onDelta, time.Time{}
}

// add takes the decoded chunk.
func (a *answer) add() error {
	c := &a.chunk
	if a.model == "" && len(c.model) > 0 {
		a.model = string(c.model)
	}
	if c.usage != nil {
		a.usage = append(a.usage[:0], c.usage...) // some servers send it with each chunk: the last one counts
	}
	if len(c.finish) > 0 {
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
	for i := range c.calls {
		d := &c.calls[i]
		a.calls.add(d)
		a.size += len(d.id) + len(d.name)
		a.piece(providers.DeltaArguments, d.arguments)
		a.seen()
	}
	if a.size > maxAnswer || len(a.calls.calls) > maxCalls {
		return errTooLarge
	}
	return nil
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

// piece keeps a piece of text and tells the listener.
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

// raw is the complete answer, or the reason why there is none. It is asked for when
// the end was seen: the end mark, or a reason to stop.
func (a *answer) raw(kind string, protocol domain.Protocol, newID domain.IDSource) (*domain.RawAnswer, error) {
	a.think.flush(a.piece)
	raw := &domain.RawAnswer{Protocol: protocol, Text: string(a.text), Model: a.model, Provider: kind, StopReason: "stop"}
	if len(a.thinking) > 0 {
		raw.Thinking = []domain.Thinking{{Text: string(a.thinking)}}
	}
	switch a.finish {
	case "":
		// Gateways put the end mark behind what they got, complete or not. So without
		// a reason something must be there, and calls must have closed arguments.
		if (raw.Text == "" && len(a.calls.calls) == 0) || !a.calls.whole() {
			return nil, errBrokeOff
		}
	case "length", "max_tokens", "model_length":
		raw.StopReason = "length"
		return raw, nil // the last call may be cut in the middle: none is returned
	case "content_filter":
		return nil, providers.Errorf(providers.ClassRefused, "the provider's content filter stopped the answer")
	case "insufficient_system_resource":
		return nil, providers.Errorf(providers.ClassOverloaded, "the provider ran out of resources in the middle of the answer")
	case "error", "network_error":
		return nil, providers.Errorf(providers.ClassNetwork, "the provider reported a failure in the middle of the answer")
	}
	if raw.Calls = a.calls.raw(newID); len(raw.Calls) > 0 {
		raw.StopReason = "calls"
	} else if a.refused {
		raw.StopReason = "refused"
	}
	return raw, nil
}

var errBrokeOff = providers.Errorf(providers.ClassNetwork, "the answer broke off before its end")
