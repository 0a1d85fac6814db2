package prompt

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// shorter advises a model how to avoid truncation.
const shorter = "Answer again, shorter: less text, fewer calls, or smaller arguments."

// cutAt describes where an answer was truncated, as the end of a sentence: "at 4096 tokens, its
// length limit".
func cutAt(raw *domain.RawAnswer) string {
	switch {
	case raw.CutAt == 0 && raw.CutLimit == 0:
		return "at its length limit"
	case raw.CutAt == 0 || raw.CutAt == raw.CutLimit:
		return fmt.Sprintf("at %d tokens, its length limit", raw.CutLimit)
	case raw.CutLimit == 0:
		return fmt.Sprintf("at %d tokens, its length limit", raw.CutAt)
	}
	return fmt.Sprintf("after %d tokens, at its length limit (max_tokens is %d)", raw.CutAt, raw.CutLimit)
}

// Ended describes how an incomplete answer ended, as the end of a sentence about it.
func Ended(raw *domain.RawAnswer) string {
	if raw.StopReason == domain.StopLength {
		return "was cut " + cutAt(raw)
	}
	if raw.StopDetail == "" {
		return "ended before it was whole"
	}
	return "ended before it was whole (the provider says " + shorten.Bytes(cleanText(raw.StopDetail), 64) + ")"
}

// unusable explains to the AI why an incomplete answer cannot be used; "" if its text can. Nothing
// of it was executed.
func unusable(raw *domain.RawAnswer, in ParseInput) string {
	empty := strings.TrimSpace(raw.Text) == "" && len(raw.Calls) == 0
	switch {
	case !raw.Partial():
		return ""
	case raw.StopReason == domain.StopMalformed:
		return "The provider could not read the call in your answer (" + shorten.Bytes(cleanText(raw.StopDetail), 64) + "); nothing of it was run. " +
			"Call again by its exact name, with arguments that are one JSON object."
	case len(raw.CutCalls) > 0:
		return "Your answer " + Ended(raw) + ", in the middle of its calls (" + calledNames(raw.CutCalls) +
			"); nothing of it was run. " + shorter
	case empty && len(raw.Thinking) > 0:
		return "Your answer " + Ended(raw) + ", before it said anything: all of it was thoughts. Think less, and answer shorter."
	case empty:
		return "Your answer " + Ended(raw) + ", before it said anything. " + shorter
	case in.SessionType == domain.Agent && in.Protocol != domain.ProtocolJSON:
		return "Your answer " + Ended(raw) + ", so it does not count as your result. " + shorter
	}
	return ""
}

// calledNames lists names for a sentence, up to a limit.
func calledNames(names []string) string {
	const most = 5
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, shorten.Bytes(cleanText(name), 64))
	}
	if len(names) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(shown, ", ")
}
