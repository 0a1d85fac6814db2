package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// raw returns the finished answer, or the reason why there is none.
func (a *answer) raw(protocol domain.Protocol, newID domain.IDSource) (*domain.RawAnswer, error) {
	raw := &domain.RawAnswer{
		Protocol: protocol, Text: string(a.text), Model: clean(a.model), Provider: kindName, StopReason: domain.StopWhole,
	}
	finish := providers.FinishOf(a.stop)
	if failure := finish.Failure(a.stop, raw.Text); failure != nil {
		if finish == providers.FinishFiltered {
			failure.Message = "the provider's policy stopped the answer (" + clean(a.stop) + ")"
		}
		return nil, failure
	}
	raw.Thinking = a.thinking()
	switch finish {
	case providers.FinishNone:
		return nil, brokeOff() // an end, but no reason for it
	case providers.FinishLength: // the last call may be truncated: none is returned
		return providers.Incomplete(raw, domain.StopLength, a.stop, a.callNames()), nil
	case providers.FinishMalformed:
		return providers.Incomplete(raw, domain.StopMalformed, a.stop, a.callNames()), nil
	case providers.FinishUnknown:
		if a.calls == 0 {
			return providers.Incomplete(raw, domain.StopUnknown, a.stop, nil), nil
		}
	}
	seen := map[string]bool{}
	for _, b := range a.blocks {
		if b.kind != kindCall {
			continue
		}
		if !b.closed && !json.Valid(b.arguments) {
			return nil, brokeOff()
		}
		call := domain.RawCall{ID: newID("call"), Name: b.name, Arguments: string(b.arguments)}
		if !seen[b.id] {
			call.ProviderID, seen[b.id] = b.id, true
		}
		raw.Calls = append(raw.Calls, call)
	}
	if len(raw.Calls) > 0 {
		raw.StopReason = domain.StopCalls
	}
	return raw, nil
}

// callNames returns the names of the calls, including incomplete ones.
func (a *answer) callNames() []string {
	var names []string
	for _, b := range a.blocks {
		if b.kind == kindCall {
			names = append(names, b.name)
		}
	}
	return names
}

// thinking is the thoughts as they are shown, each with the block that goes back. Those
// that were cut have no signature and do not go back.
func (a *answer) thinking() []domain.Thinking {
	var out []domain.Thinking
	for _, b := range a.blocks {
		t := thought{Host: a.host, Text: b.textBefore, Calls: b.callsBefore}
		switch {
		case b.kind == kindRedacted && b.closed:
			t.Block = b.asItCame
		case b.kind == kindThinking && b.closed && len(b.quotedSignature) > 0:
			t.Block = slices.Concat([]byte(`{"type":"thinking","thinking":"`), b.quotedThoughts,
				[]byte(`","signature":"`), b.quotedSignature, []byte(`"}`))
		case b.kind == kindThinking && len(b.thoughts) > 0:
			out = append(out, domain.Thinking{Text: string(b.thoughts)})
			continue
		default:
			continue
		}
		out = append(out, domain.Thinking{Text: string(b.thoughts), Data: t.data()})
	}
	return out
}
