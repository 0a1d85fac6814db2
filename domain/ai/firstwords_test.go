package ai

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/internal/visible"
)

func TestFirstWords(t *testing.T) {
	instructed := ClientInstructions("Be brief.\n\nAnswer in French.") + "What do I have?\nAll of it."
	for text, want := range map[string]string{
		"":                              "",
		" \n\n":                         "",
		"\n  list  my\tzones \nx":       "list my zones",
		instructed:                      "What do I have?",
		ClientInstructions("Be brief."): "",
		strings.Repeat("word ", 20):     strings.TrimSpace(strings.Repeat("word ", 12)) + "…",
		strings.Repeat("é", 100):        strings.Repeat("é", 60) + "…",
		"Instructions of the chat client:\nnone that end": "Instructions of the chat client:",
	} {
		if got := FirstWords(text); got != want || !visible.IsName(got) {
			t.Errorf("%q is called %q, not %q", text, got, want)
		}
	}
	if got := FirstWords("\u202eturned\u0007 words"); !visible.IsName(got) || got == "" {
		t.Errorf("%q is no name", got)
	}
	if got := OwnWords(instructed); got != "What do I have?\nAll of it." {
		t.Errorf("the person's own words are %q", got)
	}
}
