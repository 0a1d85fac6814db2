package domain

import (
	"maps"
	"testing"
)

// A text is made in both languages at once, with texts within it in theirs.
func TestTexts(t *testing.T) {
	name := Say("“%s”", "« %s »", "Health")
	text := Say("Add %[1]s (%[2]d)", "Ajouter %[1]s (%[2]d)", name, 3)
	if text != (Text{EN: "Add “Health” (3)", FR: "Ajouter « Health » (3)"}) {
		t.Errorf("%+v", text)
	}
	for language, want := range map[string][2]string{"en": {text.EN, text.FR}, "fr": {text.FR, text.EN}, "de": {text.EN, ""}} {
		main, beside := text.In(language), text.Beside(language)
		other := map[string]string{"en": "fr", "fr": "en", "de": "de"}[language]
		if main != want[0] || beside[other] != want[1] {
			t.Errorf("%s: %q %v", language, main, beside)
		}
		for _, reader := range Languages {
			if got := beside.In(reader, main); got != text.In(reader) {
				t.Errorf("%s for %s: %q", language, reader, got)
			}
		}
	}
	if Same("x").Beside("en") != nil || Translations(nil).In("fr", "x") != "x" {
		t.Error("a text without a language has translations")
	}
	if got := Join(" ", Same("a"), Text{}, Say("b", "c")); got != (Text{EN: "a b", FR: "a c"}) {
		t.Errorf("%+v", got)
	}
	if got := Say("in", "à").Beside("en"); !maps.Equal(got, Translations{"fr": "à"}) {
		t.Errorf("%v", got)
	}
}

// A notice about something without a name does not begin with empty quotes.
func TestAbout(t *testing.T) {
	text := Say("the élan is gone.", "élan perdu.")
	for name, want := range map[string]Text{
		"":      {EN: "The élan is gone.", FR: "Élan perdu."},
		"\t":    {EN: "The élan is gone.", FR: "Élan perdu."},
		"Sleep": {EN: "“Sleep”: the élan is gone.", FR: "« Sleep » : élan perdu."},
	} {
		if got := About(name, text); got != want {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
