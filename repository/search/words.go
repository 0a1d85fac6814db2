package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word is a normalized word: lower case, without accents. It occupies the bytes between two offsets
// of the text.
type word struct {
	text     string
	from, to int
}

// longestWord limits the significant characters of a word.
const longestWord = 60

// words iterates over the words of a text: runs of letters and digits. Both indexed texts and
// searches are split here, and neither database splits or normalizes anything itself, so that both
// find the same. In scripts written without spaces each character is a word; in Hangul, whose
// compounds have no spaces, each syllable.
func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		var w wordReader
		for at := 0; at < len(text); {
			r, size := utf8.DecodeRuneInString(text[at:])
			folded := fold(r)
			if folded == "" && w.length > 0 {
				w.to = at + size // a mark on the preceding letter
			}
			for _, c := range folded {
				if (c == ' ' || standsAlone(c) || w.beginsSyllable(c)) && !w.end(yield) {
					return
				}
				if c == ' ' {
					continue
				}
				w.add(c, at, at+size)
				if standsAlone(c) && !w.end(yield) {
					return
				}
			}
			at += size
		}
		w.end(yield)
	}
}

// wordReader collects the characters of one word.
type wordReader struct {
	text     []byte
	length   int
	from, to int
	latest   rune // the latest character of the word
}

func (w *wordReader) add(c rune, from, to int) {
	if w.length == 0 {
		w.from = from
	}
	if w.length < longestWord {
		w.text = utf8.AppendRune(w.text, c)
	}
	w.length, w.to, w.latest = w.length+1, to, c
}

// beginsSyllable reports that a character begins a new word because a Hangul syllable begins or
// ends there. fold has decomposed syllables into an initial consonant, a vowel and an optional
// final consonant.
func (w *wordReader) beginsSyllable(c rune) bool {
	if w.length == 0 {
		return false
	}
	return isInitial(c) || isJamo(w.latest) && !isJamo(c) || isJamo(c) && !isJamo(w.latest)
}

func isInitial(c rune) bool { return c >= 0x1100 && c <= 0x115F }

func isJamo(c rune) bool { return c >= 0x1100 && c <= 0x11FF }

// end yields the current word, if any, and reports whether to continue.
func (w *wordReader) end(yield func(word) bool) bool {
	if w.length == 0 {
		return true
	}
	found := word{string(w.text), w.from, w.to}
	w.text, w.length = w.text[:0], 0
	return yield(found)
}

// standsAlone reports that a character is a word by itself.
func standsAlone(c rune) bool {
	switch {
	case c < 0x0E00:
		return false
	case c < 0x2E80:
		return unicode.In(c, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer)
	}
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// Version is incremented when texts are split differently. 2: Thai, Lao, Khmer, Burmese and Hangul.
const Version = 2

// Recut reports whether a text of a row is split differently than in version 1.
func (r *Row) Recut() bool { return recut(r.Title) || recut(r.Body) }

func recut(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return c >= 0x0E00 && unicode.In(c, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer, unicode.Hangul)
	})
}

// spellings maps letters that have an alternative spelling but no decomposition.
var spellings = map[rune]string{
	'œ': "oe", 'æ': "ae", 'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ς': "σ",
}

// fold normalizes a character: nothing for a mark on a letter, a space for a separator, otherwise
// one or more letters and digits.
func fold(r rune) string {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	var b strings.Builder
	for _, c := range norm.NFKD.String(string(r)) {
		switch {
		case isMark(c):
		case unicode.IsLetter(c), unicode.IsNumber(c), unicode.Is(unicode.Mc, c):
			b.WriteString(foldLetter(c))
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// ascii is fold for ASCII characters.
var ascii = func() (table [utf8.RuneSelf]string) {
	for i := range table {
		c := rune(i)
		if unicode.IsLetter(c) || unicode.IsNumber(c) {
			table[i] = string(unicode.ToLower(c))
		} else {
			table[i] = " "
		}
	}
	return table
}()
