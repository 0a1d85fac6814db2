package domain

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/internal/visible"
)

// Text is a sentence in every language that people read. It is made in all of them at once, from
// the same facts, so that it can be stored and then read by people of different languages.
type Text struct{ EN, FR string }

// Translations are a text's versions in other languages.
type Translations map[string]string

// Say makes a text from its phrases. They are side by side so that neither is forgotten; an argument that
// is a Text is inserted in each language.
func Say(english, french string, args ...any) Text {
	return Text{EN: phrase(english, "en", args), FR: phrase(french, "fr", args)}
}

func phrase(format, language string, args []any) string {
	own := make([]any, len(args))
	for i, arg := range args {
		own[i] = arg
		if text, ok := arg.(Text); ok {
			own[i] = text.In(language)
		}
	}
	return fmt.Sprintf(format, own...)
}

// Same is a text that has no language: a name, or words that are not the server's own.
func Same(text string) Text { return Text{EN: text, FR: text} }

// In is the text in a language; English unless it is known.
func (t Text) In(language string) string {
	if language == "fr" {
		return t.FR
	}
	return t.EN
}

// Beside are the translations of the text for readers of other languages than this one; nil
// where there is nothing to translate.
func (t Text) Beside(language string) Translations {
	main := t.In(language)
	var all Translations
	for _, other := range Languages {
		if text := t.In(other); other != language && text != main {
			if all == nil {
				all = Translations{}
			}
			all[other] = text
		}
	}
	return all
}

// Languages are those that people can read the server's own sentences in.
var Languages = []string{"en", "fr"}

// In is a text in a language, where there is a translation, else as it is.
func (t Translations) In(language, text string) string {
	if own := t[language]; own != "" {
		return own
	}
	return text
}

// Visible escapes invisible characters of a text that a person approves.
func (t Text) Visible() Text { return Text{EN: visible.Text(t.EN), FR: visible.Text(t.FR)} }

// Count formats a number with its noun: "1 entry", "12 entries".
func Count(n int, english, englishMany, french, frenchMany string) Text {
	if n > 1 {
		french = frenchMany
	}
	return Text{EN: Plural(n, english, englishMany), FR: fmt.Sprintf("%d %s", n, french)}
}

// Join puts texts behind each other, those that are empty left out.
func Join(between string, texts ...Text) Text { return JoinBetween(Same(between), texts...) }

// JoinBetween is Join with words between the texts.
func JoinBetween(between Text, texts ...Text) Text {
	var en, fr []string
	for _, t := range texts {
		if t != (Text{}) {
			en, fr = append(en, t.EN), append(fr, t.FR)
		}
	}
	return Text{EN: strings.Join(en, between.EN), FR: strings.Join(fr, between.FR)}
}

// About prefixes a text with the quoted name of its subject; without a name the text is capitalised.
func About(name string, text Text) Text {
	if name = visible.Line(strings.TrimSpace(name)); name == "" {
		return Text{EN: capital(text.EN), FR: capital(text.FR)}
	}
	return Say("“%s”: %s", "« %s » : %s", name, text)
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// Lasting formats a duration: "1 hour 30 minutes", to the second.
func Lasting(d time.Duration) Text {
	units := []struct {
		of              time.Duration
		english, french string
	}{{time.Hour, "hour", "heure"}, {time.Minute, "minute", "minute"}, {time.Second, "second", "seconde"}}
	var parts []Text
	for _, u := range units {
		n := int(d / u.of)
		d -= time.Duration(n) * u.of
		if n > 0 {
			parts = append(parts, Text{EN: Many(n, u.english), FR: Many(n, u.french)})
		}
	}
	if len(parts) == 0 {
		return Say("less than a second", "moins d’une seconde")
	}
	return Join(" ", parts...)
}
