// Package search finds words in what the user wrote: entries, notes and documents. What
// is indexed and what is asked for are cut into words and folded here (words.go), so that
// both databases find the same; each then keeps the words in an index of its own. A hit is
// shown by the part of its text in which most of the words stand (snippet.go).
package search
