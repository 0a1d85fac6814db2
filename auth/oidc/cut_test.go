package oidc

import "testing"

func TestNamesFromTheIssuerHideNothing(t *testing.T) {
	for given, want := range map[string]string{
		"Ada Lovelace":              "Ada Lovelace",
		"bob\u202e\u2066nimda":      "bobnimda",
		"a\u200bd\ufeffm\u00adin":   "admin",
		"one\ntwo\u2028three\u0085": "one two three ",
		"می\u200cخواهم":             "می\u200cخواهم",
		"tag\U000e0041\U000e007f":   "tag",
		"\x1b[31mred":               " [31mred",
		"\u061cعلي":                 "علي",
	} {
		if got := cut(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
