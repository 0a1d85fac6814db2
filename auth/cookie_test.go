package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Servers under different paths of one host have cookies of different names, and each reads its own.
func TestCookiesOfServersUnderPaths(t *testing.T) {
	names := map[string]string{}
	for _, address := range []string{"https://a.example", "https://a.example/one", "https://a.example/two", "https://a.example/one/two"} {
		c := CookiesFor(address, false)
		answer := httptest.NewRecorder()
		c.set(answer, signInCookie, address, time.Hour)
		cookie := answer.Result().Cookies()[0]
		if other, taken := names[cookie.Name]; taken {
			t.Errorf("%s and %s share the cookie %s", address, other, cookie.Name)
		}
		if names[cookie.Name] = address; cookie.Path != "/" || !cookie.Secure {
			t.Errorf("browsers reject the cookie %v of the prefix __Host-", cookie)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	for name, value := range names {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for _, address := range names {
		if got, several := CookiesFor(address, false).one(r, signInCookie); got != address || several {
			t.Errorf("%s reads the cookie of %q (%v)", address, got, several)
		}
	}
}

// The names of cookies depend on the path alone, however it is written, and on TLS.
func TestNamesOfCookies(t *testing.T) {
	for _, c := range []struct {
		address string
		tls     bool
		want    string
	}{
		{"", false, "fermata_session"}, {"", true, "__Host-fermata_session"}, {"http://a.example/", true, "fermata_session"},
		{"HTTPS://a.example", false, "__Host-fermata_session"}, {"https://a.example/", false, "__Host-fermata_session"},
	} {
		if got := CookiesFor(c.address, c.tls).name(signInCookie); got != c.want {
			t.Errorf("%q has the cookie %s, want %s", c.address, got, c.want)
		}
	}
	if one, two := CookiesFor("https://a.example/one", false), CookiesFor("https://b.example/one/", true); one != two || one.name(signInCookie) == "__Host-fermata_session" {
		t.Errorf("the cookies are %+v and %+v", one, two)
	}
}
