package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text escapes controls, invisible characters and deceptive spaces of a text of one or more lines that
// a person approves.
func Text(text string) string {
	return escapeRunes(text, func(r, before, after rune) bool {
		return r != '\n' && r != '\t' && (hidden(r, before, after) || oddSpace(r, before, after))
	})
}

// Line is Text for a text of one line: line feeds and tabs are escaped too.
func Line(text string) string {
	return escapeRunes(text, func(r, before, after rune) bool {
		return hidden(r, before, after) || oddSpace(r, before, after)
	})
}

// Printable is a text for a terminal or a file: what would steer it, or turn the order
// of what is read, is escaped. It may be given in pieces.
func Printable(text string) string {
	return escapeRunes(text, func(r, _, _ rune) bool { return r != '\n' && r != '\t' && steers(r) })
}

// IsName reports whether a text can be a name: one line without invisible characters.
func IsName(text string) bool {
	return utf8.ValidString(text) && escapeRunes(text, hidden) == text
}

// steers: control characters, line and paragraph separators, those that turn the order
// of text, and tags.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r >= 0xE0000 && r <= 0xE007F
}

// hidden reports control and invisible characters, except joiners and variation selectors where a script
// or an emoji needs them.
func hidden(r, before, after rune) bool {
	switch {
	case r < unicode.MaxASCII || !steers(r) && !invisible(r):
		return unicode.IsControl(r)
	case r == '\u200c' || r == '\u200d':
		return !(joins(before) && joins(after)) && !(r == '\u200d' && emojiPart(before) && unicode.Is(unicode.So, after))
	case r == '\ufe0e' || r == '\ufe0f':
		return !(emojiPart(before) || before == '#' || before == '*' || before >= '0' && before <= '9' || unicode.Is(unicode.S, before) || unicode.Is(unicode.Po, before))
	case r >= 0xE0100 && r <= 0xE01EF:
		return !unicode.Is(unicode.Han, before)
	}
	return true
}

// invisible: format characters (but for the signs that are seen), fillers and variations.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800'
}

// joins: a letter or mark of a script that is written with joiners.
func joins(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) &&
		unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari,
			unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
			unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// emojiPart reports whether a character can precede a joiner in an emoji.
func emojiPart(r rune) bool {
	return unicode.Is(unicode.So, r) || r == '\ufe0f' || r >= 0x1F3FB && r <= 0x1F3FF
}

// oddSpace reports a non-standard space outside its typographic places: no-break spaces belong before
// French punctuation and between digits, wide ones beside wide characters.
func oddSpace(r, before, after rune) bool {
	switch {
	case r < unicode.MaxASCII || !unicode.Is(unicode.Zs, r):
		return false
	case r == '\u00a0' || r == '\u202f':
		return before != '«' && !strings.ContainsRune(":;!?»%€$£°", after) && !(unicode.IsDigit(before) && unicode.IsDigit(after))
	case r == '\u3000':
		return !wide(before) && !wide(after)
	}
	return true
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3001 && r <= 0x303F ||
		r >= 0xFF01 && r <= 0xFF60
}

// WithoutHidden is a text without the characters that Line escapes as hidden; line feeds,
// tabs and other controls that separate words become spaces.
func WithoutHidden(text string) string {
	var b strings.Builder
	before := rune(-1)
	for i, r := range text {
		after, size := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if size == 0 {
			after = -1
		}
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case !hidden(r, before, after):
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// escapeRunes writes the characters that escape names as escapes; bytes that are no text
// become U+FFFD.
func escapeRunes(text string, escape func(r, before, after rune) bool) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= ' ' && text[i] < unicode.MaxASCII
	}
	if plain {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	var b strings.Builder
	before := rune(-1)
	for i, r := range text {
		after, size := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if size == 0 {
			after = -1
		}
		switch {
		case !escape(r, before, after):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		before = r
	}
	return b.String()
}
