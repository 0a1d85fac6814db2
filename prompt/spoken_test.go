package prompt

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSpoken: of an answer in JSON people see what is said to them, however it is cut to pieces.
func TestSpoken(t *testing.T) {
	for answer, want := range map[string]string{
		`{"pre_text": "Hello.", "data_commands": [{"type": "ZONES"}]}`:    "Hello.",
		"```json\n{ \"pre_text\" : \"a\\\"b\\n\\u00e9 \\ud83d\\ude00\" }": "a\"b\né 😀",
		`Here it is: {"completed": true, "pre_text": "Après."}`:           "Après.",
		`{"communication_module": {"pre_text": "inner"}, "pre_text": "x"`: "x",
		`{"post_text": "pre_text", "pre_text":"y","post_text":"z"}`:       "y",
		`{"data_commands": ["pre_text", "no"], "pre_text": "cut off`:      "cut off",
		`{"pre_text": "half \ud83d, and \u0000"}`:                         "half \ufffd, and \ufffd",
		`{"pre_text": ""}`:               "",
		`{"other": 1}`:                   "",
		`no object, and a "pre_text": 1`: "",
	} {
		for _, size := range []int{1, 2, 3, 7, len(answer)} {
			var s Spoken
			var got strings.Builder
			for at := 0; at < len(answer); at += size {
				piece := s.More(answer[at:min(at+size, len(answer))])
				if !utf8.ValidString(piece) {
					t.Errorf("%q in pieces of %d: %q is half a character", answer, size, piece)
				}
				got.WriteString(piece)
			}
			if got.String() != want {
				t.Errorf("%q in pieces of %d says %q, not %q", answer, size, got.String(), want)
			}
		}
	}
}

func FuzzSpoken(f *testing.F) {
	f.Add("Hello \"you\"\n😀", 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || size < 1 {
			return
		}
		encoded, err := json.Marshal(map[string]any{"a": []string{text}, "pre_text": text})
		if err != nil {
			t.Fatal(err)
		}
		var s Spoken
		var got strings.Builder
		for at := 0; at < len(encoded); at += min(size, len(encoded)) {
			got.WriteString(s.More(string(encoded[at:min(at+size, len(encoded))])))
		}
		if got.String() != text {
			t.Errorf("%q is rendered as %q", text, got.String())
		}
	})
}
