package egress

import (
	"net"
	"net/url"
	"strings"
)

// Origin is where a URL leads, in one spelling: "https://api.openai.com:443". A secret
// is bound to it, and no request is taken from one to another.
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

// lowerASCII leaves letters of other scripts as they are: some of them become another
// letter in lower case ("K", the Kelvin sign), and so another host's name.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
