package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// raw is the complete answer, or the reason why there is none.
func (a *answer) raw(protocol domain.Protocol, newID domain.IDSource) (*domain.RawAnswer, error) {
	raw := &domain.RawAnswer{Protocol: protocol, Text: string(a.text), Model: clean(a.model), Provider: KindName, StopReason: "stop"}
	switch a.stop {
	case "":
		return nil, brokeOff() // an end, but no reason for it
	case "refusal":
		return nil, providers.Errorf(providers.ClassRefused, "the provider's policy stopped the answer")
	case "max_tokens", "model_context_window_exceeded":
		raw.StopReason = "length"
	}
	raw.Thinking = a.thinking()
	if raw.StopReason == "length" {
		return raw, nil // the last call may be cut in the middle: none is returned
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
		raw.StopReason = "calls"
	}
	return raw, nil
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
