package egress

import (
	"net"
	"net/url"
	"strings"
)

// Origin is the canonical origin of a URL: "https://api.openai.com:443". A secret is bound to it, and
// requests are not redirected to another one.
func Origin(u *url.URL) string {
	scheme := lowerASCII(u.Scheme)
	port := u.Port()
	switch {
	case port != "":
	case scheme == "https":
		port = "443"
	case scheme == "http":
		port = "80"
	}
	return scheme + "://" + net.JoinHostPort(lowerASCII(strings.TrimSuffix(u.Hostname(), ".")), port)
}

// lowerASCII leaves other letters unchanged: some become a different letter in lower case (the Kelvin sign
// becomes "k"), and so another host's name.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
