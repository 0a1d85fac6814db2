package egress

import (
	"net/url"
	"testing"
)

func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.openai.com/v1":           "https://api.openai.com:443",
		"HTTPS://API.OpenAI.com.:443/v1?x#y":  "https://api.openai.com:443",
		"http://api.openai.com":               "http://api.openai.com:80",
		"https://api.openai.com:8443":         "https://api.openai.com:8443",
		"https://api.openai.com.evil.example": "https://api.openai.com.evil.example:443",
		"https://api.openai.com@evil.example": "https://evil.example:443",
		"http://[FE80::1]:80/":                "http://[fe80::1]:80",
		"https://api.deepsee\u212a.com":       "https://api.deepsee\u212a.com:443", // the Kelvin sign is no k
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
