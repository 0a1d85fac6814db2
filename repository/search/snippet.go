package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain/userdata"
)

const (
	snippetBytes = 300 // approximate length of a snippet
	snippetLead  = 60  // of it before the first match
	ellipsis     = "…"
)

// Count returns how many of the words a text contains.
func (w *Words) Count(text string) int {
	seen := map[string]bool{}
	for x := range words(text) {
		if w.matches(x.text) {
			seen[w.which(x.text)] = true
		}
	}
	return len(seen)
}

// which returns the searched word that a word of a text matches.
func (w *Words) which(text string) string {
	if _, found := slices.BinarySearch(w.whole, text); found {
		return text
	}
	return w.last
}

// Show sets the snippet of a hit: the part of the text that contains most of the words.
func (w *Words) Show(hit *userdata.SearchHit, text string) {
	snippet := w.part(text)
	hit.Snippet, hit.Marks, hit.Matches = snippet, []userdata.SearchMark{}, []string{}
	note := func(found string) {
		if !slices.Contains(hit.Matches, found) {
			hit.Matches = append(hit.Matches, found)
		}
	}
	for x := range words(hit.Title) {
		if w.matches(x.text) {
			note(hit.Title[x.from:x.to])
		}
	}
	at, runes := 0, 0
	for x := range words(snippet) {
		if !w.matches(x.text) {
			continue
		}
		note(snippet[x.from:x.to])
		runes += utf8.RuneCountInString(snippet[at:x.from])
		end := runes + utf8.RuneCountInString(snippet[x.from:x.to])
		hit.Marks = append(hit.Marks, userdata.SearchMark{Start: runes, End: end})
		at, runes = x.to, end
	}
}

// part returns the part of the text with most of the words, on one line.
func (w *Words) part(text string) string {
	from := max(w.best(text)-snippetLead, 0)
	until := min(from+snippetBytes, len(text))
	if from = wordStart(text, from); until < len(text) {
		until = wordEnd(text, from, until)
	}
	part := strings.Join(strings.Fields(strings.ToValidUTF8(text[from:until], "")), " ")
	if from > 0 {
		part = ellipsis + part
	}
	if until < len(text) {
		part += ellipsis
	}
	return part
}

// best returns where the part with most distinct words begins; of several, the first.
func (w *Words) best(text string) int {
	type place struct {
		which string
		at    int
	}
	var window []place
	inside := map[string]int{}
	most, at := 0, 0
	for x := range words(text) {
		if !w.matches(x.text) {
			continue
		}
		window = append(window, place{w.which(x.text), x.from})
		inside[window[len(window)-1].which]++
		for len(window) > 1 && (inside[window[0].which] > 1 || x.to-window[0].at > snippetBytes-snippetLead) {
			if inside[window[0].which]--; inside[window[0].which] == 0 {
				delete(inside, window[0].which)
			}
			window = window[1:]
		}
		if len(inside) > most {
			most, at = len(inside), window[0].at
		}
	}
	return at
}

// wordStart moves a cut to after the next space, if one is near.
func wordStart(text string, at int) int {
	if at == 0 {
		return 0
	}
	if space := strings.IndexAny(text[at:min(at+snippetLead, len(text))], " \n\t"); space >= 0 {
		return at + space + 1
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// wordEnd moves a cut to before the last space, if one is near.
func wordEnd(text string, from, at int) int {
	if space := strings.LastIndexAny(text[max(at-snippetLead, from):at], " \n\t"); space > 0 {
		return max(at-snippetLead, from) + space
	}
	for at > from && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
