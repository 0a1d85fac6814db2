package shorten

import "unicode/utf8"

const ellipsis = "…"

// Characters shortens a text to n characters, of which the last is an ellipsis.
func Characters(text string, n int) string {
	if len(text) <= n {
		return text
	}
	seen, last := 0, 0
	for i := range text {
		if seen++; seen == n {
			last = i
		}
		if seen > n {
			return text[:last] + ellipsis
		}
	}
	return text
}

// Bytes shortens a text to n bytes, the ellipsis included; n is at least its length, three bytes.
func Bytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	at := n - len(ellipsis)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + ellipsis
}
