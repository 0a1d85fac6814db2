package oidc

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestOnlyCookiesOfOursAskTheIssuer verifies that a cookie that was not issued by this server, however well formed,
// causes no request to the issuer's token endpoint; a cookie of another node does.
func TestOnlyCookiesOfOursAskTheIssuer(t *testing.T) {
	i := newIssuer(t)
	p := i.party()
	_, ours, err := p.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(ours, ".")
	another := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("x", 32)))
	now := strconv.FormatInt(i.clock().Unix(), 36)
	for what, cookie := range map[string]string{
		"without a signature":      strings.Join(parts[:3], "."),
		"an empty signature":       strings.Join(parts[:3], ".") + ".",
		"made up":                  another + "." + now + ".Lw",
		"made up, with a guess":    another + "." + now + ".Lw." + another,
		"ours with another secret": another + "." + strings.Join(parts[1:], "."),
		"ours, for later":          parts[0] + "." + strconv.FormatInt(i.clock().Unix()+60, 36) + "." + parts[2] + "." + parts[3],
		"ours, for another page":   parts[0] + "." + parts[1] + ".Lw8." + parts[3],
	} {
		query := url.Values{"code": {"c"}, "state": {derived("state", cookie)}}
		_, _, err := p.Finish(t.Context(), cookie, query)
		refused(t, what, err, domain.CodeSignInLost, "not begun in this browser")
	}
	if n := i.asked["/token"]; n != 0 {
		t.Errorf("the issuer was asked %d times", n)
	}
	_, _, err = i.party().Finish(t.Context(), ours, url.Values{"code": {"c"}, "state": {derived("state", ours)}})
	refused(t, "of a process that shares no key", err, domain.CodeSignInLost, "")

	common := func(keys ...string) func(*Config) {
		return func(c *Config) {
			for _, key := range keys {
				c.CookieKeys = append(c.CookieKeys, []byte(key))
			}
		}
	}
	_, cookie, err := i.party(common("old")).Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	i.set(func() { i.nonce = derived("nonce", cookie) })
	person, _, err := i.party(common("new", "old")).Finish(t.Context(), cookie, url.Values{"code": {"c"}, "state": {derived("state", cookie)}})
	if err != nil || person == nil || i.asked["/token"] != 1 {
		t.Errorf("begun on another node: %v, %v, asked %d times", person, err, i.asked["/token"])
	}
}
