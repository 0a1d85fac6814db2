package documents

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Parts of a document: a text that does not fit into one result is read by its headings, or from a
// token on.

// PartParams chooses a part: below a heading, or so many tokens from one on.
type PartParams struct {
	Heading string `json:"heading,omitempty"`
	From    int    `json:"from,omitempty"`
	Tokens  int    `json:"tokens,omitempty"`
}

const (
	// PartTokens is the default length of a part.
	PartTokens = 2000
	// OutlineBytes bounds the headings that are listed of a long document.
	OutlineBytes = 1200
)

// heading is a line of Markdown that begins a section.
type heading struct {
	text  string
	level int
	at    int // where its line begins
}

// headings are those of a text, outside of code fences.
func headings(text string) []heading {
	var all []heading
	at, fence := 0, ""
	for line := range strings.SplitAfterSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case strings.HasPrefix(line, "#"):
			title := strings.TrimLeft(line, "#")
			if level := len(line) - len(title); level <= 6 && strings.HasPrefix(title, " ") {
				all = append(all, heading{strings.TrimSpace(title), level, at})
			}
		}
		at += len(line)
	}
	return all
}

// section is the text below a heading, with it, up to the next one of its level or above. Of several
// that are called the same it is the first.
func section(text, name string) (from, to int, err error) {
	all := headings(text)
	for i, h := range all {
		if !strings.EqualFold(h.text, strings.TrimSpace(strings.TrimLeft(name, "# "))) {
			continue
		}
		for _, next := range all[i+1:] {
			if next.level <= h.level {
				return h.at, next.at, nil
			}
		}
		return h.at, len(text), nil
	}
	return 0, 0, domain.Invalid("/part/heading", "unknown_heading",
		"The document has no heading %s.%s", jsonbody.Quote(name), outlineOf(all))
}

// Outline lists the headings of a text, as many as there is room for.
func Outline(text string) string { return outlineOf(headings(text)) }

// outlineOf lists headings, as many as there is room for.
func outlineOf(all []heading) string {
	if len(all) == 0 {
		return " It has no headings: read it by `from` and `tokens`."
	}
	var b strings.Builder
	b.WriteString(" Its headings: ")
	for i, h := range all {
		if b.Len()+len(h.text) > OutlineBytes {
			fmt.Fprintf(&b, " … and %d more", len(all)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.Repeat("#", h.level) + " " + h.text)
	}
	return b.String() + "."
}

// ByteOf is where a token begins, by the estimate that all prompts are measured with.
func ByteOf(text string, token int) int {
	at := min(token*7/2, len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// TokensIn estimates the tokens of a text of so many bytes.
func TokensIn(bytes int) int { return (bytes*2 + 6) / 7 }

// Part is a part of a document's text, and in words which one it is and how to read on.
func Part(doc *userdata.Document, p PartParams, room int) (text, words string, err error) {
	body := doc.Body
	var from, to int
	if p.Heading != "" {
		if from, to, err = section(body, p.Heading); err != nil {
			return "", "", err
		}
		if p.Tokens > 0 {
			to = min(to, ByteOf(body, TokensIn(from)+p.Tokens))
		}
	} else {
		from, to = ByteOf(body, p.From), ByteOf(body, p.From+cmp.Or(p.Tokens, PartTokens))
	}
	if to > from+room {
		for to = from + room; to > from && !utf8.RuneStart(body[to]); to-- {
		}
	}
	of := "published text"
	if doc.Body != doc.Published || doc.PublishedAt == nil {
		of = "draft"
	}
	words = fmt.Sprintf("its %s from token %d, of %d in all", of, TokensIn(from), TokensIn(len(body)))
	if to < len(body) {
		words += fmt.Sprintf("; the rest from {\"from\": %d}", to*2/7)
	}
	return body[from:max(from, to)], words, nil
}
