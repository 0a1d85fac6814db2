package prompt

import (
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Words from outside stand in blocks of their own in a user turn, each with its source and
// a mark that whoever wrote it cannot know: nothing within can end the block, or pass for
// words of the server or of a person.

// kindOutside is the type of these blocks.
const kindOutside = "OUTSIDE"

// Marker makes the marks of one workspace. The same words of the same source have the same
// mark, so that a history that is built again has the same bytes.
type Marker struct {
	Key         []byte
	WorkspaceID string
}

func anyOutside(results []domain.CommandResult) bool {
	return slices.ContainsFunc(results, func(r domain.CommandResult) bool { return outside(r.From) })
}

func outside(from *domain.Provenance) bool { return from != nil && from.Origin.Outside() }

// block encloses words from outside.
func (m Marker) block(from domain.Provenance, words string) string {
	b := dataBlock{kindOutside, string(from.Origin) + ": " + from.Source, words}
	return b.text(markOf(m.Key, m.WorkspaceID, []dataBlock{b}))
}

// segmentBlocks are the parts of a person's message that came from outside, its files among
// them.
func (m Marker) segmentBlocks(rich *domain.RichContent) []domain.Block {
	if rich == nil {
		return nil
	}
	var blocks []domain.Block
	for i := range rich.Segments {
		switch s := &rich.Segments[i]; {
		case s.File != nil:
			blocks = append(blocks, domain.Block{Kind: domain.BlockFile, Text: m.fileNote(s.File, notLookedAt), File: s.File})
		case outside(s.From):
			blocks = append(blocks, domain.Block{Kind: domain.BlockText, Text: m.block(*s.From, s.Text)})
		}
	}
	return blocks
}

// ownSegments are the parts of a message that its person wrote; ok is false where that is
// all of it.
func ownSegments(rich *domain.RichContent) (own []domain.Segment, ok bool) {
	for _, s := range rich.Segments {
		if !outside(s.From) && s.File == nil {
			own = append(own, s)
		}
	}
	return own, len(own) < len(rich.Segments)
}

// result is the result of a command as the AI reads it: what the server says of it, and in
// a block what the server outside said ("" for nothing).
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

// outsideTag begins every block of words from outside.
const outsideTag = tagOpen + ` type="` + kindOutside + `" mark="`

// ofOutside says whether a text is a block of words from outside.
func ofOutside(text string) bool { return strings.HasPrefix(text, outsideTag) }

// splitOutside parts a result from the block within it.
func splitOutside(text string) (said, block string) {
	if at := strings.Index(text, outsideTag); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// outsideHead is how long a text is up to where the words of the block within it begin, and
// the tag that ends the block; 0 and "" where there is none.
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
