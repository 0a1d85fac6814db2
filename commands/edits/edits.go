package edits

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Edit replaces a piece of a text that occurs in it once.
type Edit struct {
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

// Apply is a text with the edits made one after the other, and what each of them changed.
func Apply(body string, edits []Edit) (text string, before, after []string, err error) {
	for i, e := range edits {
		at := fmt.Sprintf("/edits/%d/find", i)
		switch n := strings.Count(body, e.Find); {
		case n == 0:
			return "", nil, nil, domain.Invalid(at, "not_found",
				"The text %s does not occur in the draft. Read the place again (CONTEXT with a part) and take it as it stands.",
				quotedPiece(e.Find))
		case n > 1:
			return "", nil, nil, domain.Invalid(at, "not_unique",
				"The text %s occurs %d times in the draft. Take more of what stands around it, so that it occurs once.", quotedPiece(e.Find), n)
		case e.Find == e.Replace:
			return "", nil, nil, domain.Invalid(at, "unchanged", "The text %s is replaced by itself.", quotedPiece(e.Find))
		}
		from := strings.Index(body, e.Find)
		to := from + len(e.Find)
		left, right := around(body, from, to)
		before = append(before, left+e.Find+right)
		after = append(after, left+e.Replace+right)
		body = body[:from] + e.Replace + body[to:]
	}
	return body, before, after, nil
}

// pieceBytes bounds what is said of a text that was not found, and contextBytes what a person is shown
// on each side of a change.
const (
	pieceBytes   = 120
	contextBytes = 160
)

func quotedPiece(text string) string { return jsonbody.Quote(shorten.Characters(text, pieceBytes)) }

// around is the context of a piece of text: the rest of its lines and one more on each side, limited in
// size.
func around(text string, from, to int) (left, right string) {
	begin := max(0, from-contextBytes)
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin++
	}
	left = text[begin:from]
	if last := strings.LastIndexByte(left, '\n'); last > 0 {
		if line := strings.LastIndexByte(left[:last], '\n'); line >= 0 {
			left = left[line+1:]
		}
	}
	end := min(len(text), to+contextBytes)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	right = text[to:end]
	if first := strings.IndexByte(right, '\n'); first >= 0 {
		if line := strings.IndexByte(right[first+1:], '\n'); line >= 0 {
			right = right[:first+1+line]
		}
	}
	return left, right
}
