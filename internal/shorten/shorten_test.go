package shorten

import "testing"

func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ééé", 3, "ééé"}, {"éééé", 3, "éé…"}, {"aé", 1, "…"}} {
		if got := Characters(c.text, c.n); got != c.want {
			t.Errorf("Characters(%q, %d) = %q, not %q", c.text, c.n, got, c.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "…"}, {"abcdef", 5, "ab…"}, {"éééé", 7, "éé…"}, {"éééé", 6, "é…"}, {"éé", 4, "éé"}} {
		if got := Bytes(c.text, c.n); got != c.want {
			t.Errorf("Bytes(%q, %d) = %q, not %q", c.text, c.n, got, c.want)
		}
	}
}
