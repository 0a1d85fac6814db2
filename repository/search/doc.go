// Package search finds words in the user's texts: entries, notes and documents. Texts and searches
// are split into words and normalized here (words.go), so that both databases find the same; each
// stores the words in an index of its own. A hit shows the part of its text that contains most of
// the words (snippet.go).
package search
