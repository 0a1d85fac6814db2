package demo

import (
	"strings"
	"unicode"
)

var accents = strings.NewReplacer(
	"à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i",
	"ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "ç", "c", "œ", "oe", "æ", "ae", "ß", "ss", "ñ", "n",
)

var articles = map[string]bool{
	"my": true, "the": true, "our": true, "a": true, "an": true, "of": true, "for": true, "some": true,
	"mon": true, "ma": true, "mes": true, "notre": true, "nos": true, "le": true, "la": true, "les": true, "l": true,
	"un": true, "une": true, "du": true, "de": true, "des": true, "d": true, "au": true, "aux": true,
}

// keyOf is a name as it is compared: without accents, articles, case and plural s.
func keyOf(name string) string {
	fields := strings.FieldsFunc(accents.Replace(strings.ToLower(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	var kept []string
	for _, f := range fields {
		if !articles[f] {
			if len(f) > 3 {
				f = strings.TrimSuffix(f, "s")
			}
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}

// best finds the record whose name fits best; nil when none does.
func best(records []record, name string) *record {
	want := keyOf(name)
	var found *record
	score := 0
	for i := range records {
		have := keyOf(records[i].name)
		s := 0
		switch {
		case have == want:
			s = 3
		case want == "" || have == "":
		case strings.HasPrefix(have, want) || strings.HasPrefix(want, have):
			s = 2
		case strings.Contains(have, want) || strings.Contains(want, have):
			s = 1
		}
		if s > score {
			found, score = &records[i], s
		}
	}
	return found
}

// title makes a name of words that a person wrote: "shopping list" -> "Shopping list".
func title(name string) string {
	r := []rune(strings.TrimSpace(name))
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// withoutArticle drops the article before a word: "du lait" -> "lait".
func withoutArticle(text string) string {
	text = strings.TrimSpace(text)
	for _, a := range []string{"de la ", "de l'", "du ", "des ", "de ", "d'", "l'", "le ", "la ", "les ", "un ", "une ",
		"some ", "a ", "an ", "the ", "my ", "mon ", "ma ", "mes "} {
		if len(text) > len(a) && strings.EqualFold(text[:len(a)], a) {
			return strings.TrimSpace(text[len(a):])
		}
	}
	return text
}
