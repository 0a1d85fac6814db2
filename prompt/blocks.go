package prompt

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Fermata's own messages are enclosed in tags, so that the model can distinguish them from the
// person's. Neither data nor people can forge a tag: see unforged.
const (
	tagOpen  = "<fermata"
	tagClose = "</fermata>"
)

// Notice encloses a message of Fermata in tags, so that the model does not attribute it to the
// person. kind is its type ("GUIDANCE", "DATA_ADDED").
func Notice(kind, text string) string {
	return tagOpen + ` type="` + kind + "\">\n" + unforged(strings.TrimSpace(text)) + "\n" + tagClose
}

// userText returns the text of a USER message. It is never empty: APIs reject empty blocks.
func userText(m *domain.Message) string {
	text := m.Text
	if m.Rich != nil {
		own, mixed := ownSegments(m.Rich)
		if text = m.Rich.LinearText; text == "" || mixed {
			text = segmentsText(own)
		}
		if text == "" {
			text = m.Text
		}
		if strings.TrimSpace(text) == "" && len(own) < len(m.Rich.Segments) {
			return "(no words, only what stands below)"
		}
	}
	if strings.TrimSpace(text) == "" {
		return "(an empty message)"
	}
	return unforged(text)
}

func segmentsText(segments []domain.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
		if s.Enrichment != nil {
			b.WriteString(s.Enrichment.Summary)
		}
	}
	return b.String()
}

// systemTexts assigns the results of a SYSTEM message to their calls, and returns the remaining
// texts: Fermata's own as one text, followed by blocks of external content.
func (g *gathering) systemTexts(m *domain.Message) []string {
	s := m.System
	if s == nil {
		if strings.TrimSpace(m.Text) == "" {
			return nil
		}
		return []string{Notice("NOTE", m.Text)}
	}
	var parts []string
	if len(s.CommandResults) == 0 || isInformative(s.Type) {
		parts = append(parts, systemWords(s))
	}
	rest := make([]domain.CommandResult, 0, len(s.CommandResults))
	for _, r := range s.CommandResults {
		// The late result of a task never replaces the call's own result.
		said, block := g.mark.result(&r)
		if s.Type != domain.SystemExternalResult && g.result(r.CallID, joinBy("\n", []string{said, block}), isError(&r)) {
			continue
		}
		rest = append(rest, r)
	}
	own, blocks := g.unpaired(s, rest)
	if text := join(append(parts, own...)); text != "" {
		return append([]string{Notice(string(s.Type), text)}, blocks...)
	}
	return blocks
}

// isInformative reports whether the summary of this type is new information for the AI. Otherwise it
// only repeats the results.
func isInformative(t domain.SystemType) bool {
	return t != domain.SystemDataAdded && t != domain.SystemActionsExecuted
}

func systemWords(s *domain.SystemMessage) string {
	switch s.Type {
	case domain.SystemFormatError:
		return "Your last answer could not be used, and nothing of it was run. " + s.Summary + "\nAnswer again, with this put right."
	case domain.SystemContextSummary:
		text := s.Summary
		if s.FormattedData != "" {
			text = s.FormattedData
		}
		return "Summary of the conversation so far; the earlier messages are no longer shown.\n\n" + text
	}
	return s.Summary
}

// unpaired renders the results without an open native call: those of the JSON protocol, of
// enrichments, and late ones. External content is returned in separate blocks.
func (g *gathering) unpaired(s *domain.SystemMessage, rest []domain.CommandResult) (parts, blocks []string) {
	if s.Type == domain.SystemContextSummary {
		return nil, nil
	}
	silent := !anyOutside(s.CommandResults) // no result contains external content
	for i := range rest {
		silent = silent && rest[i].Text == "" && rest[i].Error == nil
	}
	if s.FormattedData != "" && silent && (len(rest) > 0 || len(s.CommandResults) == 0) {
		return []string{s.FormattedData}, nil
	}
	for i := range rest {
		said, block := g.mark.result(&rest[i])
		if block != "" {
			blocks = append(blocks, block)
			said += fmt.Sprintf("\nIts answer is block %d below.", len(blocks))
		}
		parts = append(parts, "["+rest[i].Command+": "+string(rest[i].Status)+"]\n"+said)
	}
	return parts, blocks
}

func join(parts []string) string { return joinBy("\n\n", parts) }

func joinBy(between string, parts []string) string {
	kept := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, between)
}
