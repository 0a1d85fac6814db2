package gemini

import (
	"encoding/base64"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// answer accumulates the parts of an answer.
type answer struct {
	text     strings.Builder
	thoughts strings.Builder
	calls    []domain.RawCall
	layout   layout
	finish   genai.FinishReason
	why      string // the vendor's explanation of finish
	blocked  genai.BlockedReason
	model    string
	usage    *genai.GenerateContentResponseUsageMetadata
	size     int
	newID    domain.IDSource
	onDelta  func(providers.Delta)
	first    time.Time
}

// add adds a part of the answer.
func (a *answer) add(r *genai.GenerateContentResponse) error {
	if r == nil {
		return nil
	}
	if a.model == "" {
		a.model = clean(r.ModelVersion)
	}
	if r.UsageMetadata != nil { // a running total: the last one counts
		a.usage = r.UsageMetadata
	}
	if r.PromptFeedback != nil && r.PromptFeedback.BlockReason != "" {
		a.blocked, a.why = r.PromptFeedback.BlockReason, clean(r.PromptFeedback.BlockReasonMessage)
	}
	if len(r.Candidates) == 0 || r.Candidates[0] == nil { // one is asked for
		return nil
	}
	candidate := r.Candidates[0]
	if candidate.FinishReason != "" {
		a.finish = candidate.FinishReason
	}
	if candidate.Content == nil {
		return nil
	}
	for _, part := range candidate.Content.Parts {
		if part != nil {
			a.part(part)
		}
		if len(a.calls) > maxCalls {
			return errTooLarge // each is held against all others
		}
	}
	if a.size > maxAnswer {
		return errTooLarge
	}
	return nil
}

func (a *answer) part(part *genai.Part) {
	signature := base64.StdEncoding.EncodeToString(part.ThoughtSignature)
	a.size += len(signature)
	switch {
	case part.FunctionCall != nil:
		a.call(part.FunctionCall, signature)
	case part.Thought:
		a.piece(providers.DeltaThinking, clean(part.Text), signature)
	default:
		a.piece(providers.DeltaText, clean(part.Text), signature)
	}
}

// piece stores a piece of text or thoughts and passes it to OnDelta.
func (a *answer) piece(kind providers.DeltaKind, text, signature string) {
	if kind == providers.DeltaThinking {
		a.thoughts.WriteString(text)
		a.layout.add(pieceThought, len(text), signature)
	} else {
		a.text.WriteString(text)
		a.layout.add(pieceText, len(text), signature)
	}
	a.emit(kind, text)
}

func (a *answer) emit(kind providers.DeltaKind, text string) {
	if text == "" {
		return
	}
	if a.first.IsZero() {
		a.first = clock.System()
	}
	a.size += len(text)
	if a.onDelta != nil {
		a.onDelta(providers.Delta{Kind: kind, Text: text})
	}
}

// call stores a call, which is always complete here. Its ID is generated: the model sends none, or
// duplicates; a duplicate is dropped, as it would pair two calls with one result.
func (a *answer) call(c *genai.FunctionCall, signature string) {
	id := clean(c.ID)
	for i := range a.calls {
		if a.calls[i].ProviderID == id {
			id = ""
		}
	}
	a.calls = append(a.calls, domain.RawCall{
		ID: a.newID("call"), ProviderID: id, Name: clean(c.Name), Arguments: textOfArguments(c), Signature: signature,
	})
	a.layout.call()
	a.size += len(c.Name) + len(id)
	a.emit(providers.DeltaArguments, a.calls[len(a.calls)-1].Arguments)
}

// clean replaces what no database takes; the rest of UTF-8 was seen to by the decoder.
func clean(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// raw returns the finished answer, or the reason why there is none.
func (a *answer) raw(protocol domain.Protocol) (*domain.RawAnswer, error) {
	raw := &domain.RawAnswer{
		Protocol: protocol, Text: a.text.String(), Calls: a.calls, Model: a.model, Provider: kindName, StopReason: "stop",
	}
	finish := providers.FinishOf(string(a.finish))
	switch finish {
	case providers.FinishNone:
		if a.finish == "" && a.blocked != "" {
			return nil, refusal("the provider's policy blocked the request", string(a.blocked), a.why)
		}
		e := *errBrokeOff
		e.Text = raw.Text
		return nil, &e
	case providers.FinishStop, providers.FinishCalls:
	case providers.FinishLength:
		a.withoutCalls(raw, domain.StopLength) // the last one may be half of what was meant
	case providers.FinishMalformed:
		a.withoutCalls(raw, domain.StopMalformed)
		if protocol == domain.ProtocolNative {
			raw.Calls, raw.CutCalls, raw.StopDetail = a.malformed(), nil, ""
			a.layout.call()
		}
	default:
		if finish != providers.FinishUnknown || raw.Text == "" && len(raw.Calls) == 0 {
			e := refusal("the provider stopped the answer", string(a.finish), a.why)
			e.Text = raw.Text
			return nil, e
		}
		a.withoutCalls(raw, domain.StopUnknown)
	}
	if len(raw.Calls) > 0 {
		raw.StopReason = domain.StopCalls // finish is STOP for calls too
	}
	if data := a.layout.encode(); data != "" || a.thoughts.Len() > 0 {
		raw.Thinking = []domain.Thinking{{Text: a.thoughts.String(), Data: data}}
	}
	return raw, nil
}

// withoutCalls drops the calls of an incomplete answer.
func (a *answer) withoutCalls(raw *domain.RawAnswer, stop string) {
	var names []string
	for i := range raw.Calls {
		names = append(names, raw.Calls[i].Name)
	}
	providers.Incomplete(raw, stop, clean(string(a.finish)), names)
	parts := a.layout.Parts
	a.layout = layout{}
	for _, p := range parts {
		if p.Kind != pieceCall {
			a.layout.add(p.Kind, p.Size, p.Signature)
		}
	}
}

// malformed represents a call that the vendor could not parse. Its arguments are not JSON, so
// nothing is executed, and the model receives the vendor's explanation.
func (a *answer) malformed() []domain.RawCall {
	text := string(a.finish)
	if a.why != "" {
		text += ": " + a.why
	}
	return []domain.RawCall{{ID: a.newID("call"), Name: "malformed_call", Arguments: text}}
}

func refusal(what, reason, why string) *providers.Error {
	text := what + " (" + reason + ")"
	if why != "" {
		text += ": " + providers.PageSample([]byte(why))
	}
	return providers.Errorf(providers.ClassRefused, "%s", text)
}

// used returns the usage. Cached tokens are part of the prompt's, thoughts are counted separately.
func (a *answer) used() domain.Usage {
	var out domain.Usage
	if u := a.usage; u != nil {
		prompt := max(int64(u.PromptTokenCount), 0) + max(int64(u.ToolUsePromptTokenCount), 0)
		thoughts := max(int64(u.ThoughtsTokenCount), 0)
		out.CacheReadTokens = min(max(int64(u.CachedContentTokenCount), 0), prompt)
		out.InputTokens = prompt - out.CacheReadTokens
		out.OutputTokens = max(int64(u.CandidatesTokenCount), 0) + thoughts
		out.ReasoningTokens = thoughts
	}
	return out
}
