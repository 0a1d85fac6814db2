package prompt

import (
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// External content is placed in blocks of its own in a user turn, each with its source and a mark
// that its author cannot know: nothing inside can end the block, or pass for a message of Fermata
// or of a person.

// kindOutside is the type of these blocks.
const kindOutside = "OUTSIDE"

// Marker computes the marks of one workspace. The same content of the same source has the same
// mark, so that a rebuilt history has the same bytes.
type Marker struct {
	Key         []byte
	WorkspaceID string
}

func anyOutside(results []domain.CommandResult) bool {
	return slices.ContainsFunc(results, func(r domain.CommandResult) bool { return outside(r.From) })
}

func outside(from *domain.Provenance) bool { return from != nil && from.Origin.Outside() }

// sourceOf names a source in a prompt.
func sourceOf(from domain.Provenance) string {
	name := string(from.Origin) + ": " + from.Source
	if from.Role == domain.WordsStored {
		name = "data of this workspace, written after reading " + name
	}
	return name
}

// block encloses external content.
func (m Marker) block(from domain.Provenance, words string) string {
	b := dataBlock{kindOutside, sourceOf(from), words}
	return b.text(markOf(m.Key, m.WorkspaceID, []dataBlock{b}))
}

// segmentBlocks returns the external parts of a person's message, including its files.
func (m Marker) segmentBlocks(rich *domain.RichContent) []ai.Block {
	if rich == nil {
		return nil
	}
	var blocks []ai.Block
	for i := range rich.Segments {
		switch s := &rich.Segments[i]; {
		case s.File != nil:
			blocks = append(blocks, ai.Block{Kind: ai.BlockFile, Text: m.fileNote(s.File, notLookedAt), File: s.File})
		case outside(s.From):
			blocks = append(blocks, ai.Block{Kind: ai.BlockText, Text: m.block(*s.From, wordsOf(s))})
		}
	}
	return blocks
}

// wordsOf is the text of a segment: of an enrichment, its summary, which names rows.
func wordsOf(s *domain.Segment) string {
	if s.Enrichment != nil {
		return "[" + s.Enrichment.Summary + "]"
	}
	return s.Text
}

// ownSegments returns the parts of a message written by its person; ok is false if that is all of
// it.
func ownSegments(rich *domain.RichContent) (own []domain.Segment, ok bool) {
	for _, s := range rich.Segments {
		if !outside(s.From) && s.File == nil {
			own = append(own, s)
		}
	}
	return own, len(own) < len(rich.Segments)
}

// result renders the result of a command for the AI: Fermata's own text, and a block with the
// external content, or "".
func (m Marker) result(r *domain.CommandResult) (said, block string) {
	if !outside(r.From) {
		return resultText(r), ""
	}
	words := joinBy("\n", []string{r.Text, outsideError(r.Error)})
	if words != "" {
		block = m.block(*r.From, words)
	}
	own := *r
	own.Text, own.Summary, own.Error = "", "", nil
	return resultWords(&own, r.Begun()), block
}

func outsideError(e *domain.CommandError) string {
	if e == nil {
		return ""
	}
	return errorText(e)
}

// outsideTag begins every block of external content.
const outsideTag = tagOpen + ` type="` + kindOutside + `" mark="`

// isOutsideBlock reports whether a text is a block of external content.
func isOutsideBlock(text string) bool { return strings.HasPrefix(text, outsideTag) }

// splitOutside separates a result from the block inside it.
func splitOutside(text string) (said, block string) {
	if at := strings.Index(text, outsideTag); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// outsideHead returns the length of a text up to the content of the block inside it, and the tag
// that ends the block; 0 and "" if there is none.
func outsideHead(text string) (length int, end string) {
	at := strings.Index(text, outsideTag)
	if at < 0 || len(text) < at+len(outsideTag)+markLength {
		return 0, ""
	}
	line := strings.Index(text[at:], "\n")
	if line < 0 {
		return 0, ""
	}
	mark := text[at+len(outsideTag):][:markLength]
	return at + line + 1, "</fermata " + mark + ">"
}
