package handlers

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// A sign-in that the page began is finished in the browser that began it: whoever is given such a link
// by somebody else agrees to nothing. The browser has a cookie that follows from the state, which is
// found by its hash and cannot be made; a page of another origin sets no cookie of ours.

// ownBrowser is the host by which a browser of our own page reaches us; "" for all others: a program
// with a key opens the link wherever its person has a browser.
func ownBrowser(r *http.Request) string {
	if r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return ""
	}
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return strings.Trim(r.Host, "[]")
}

// browserCookie is the cookie of the browser that began a sign-in: one for each, so that two may go on.
func browserCookie(state string) (name, value string) {
	sum := sha256.Sum256([]byte("fermata sign-in browser\n" + state))
	return "fermata_sign_in_" + hex.EncodeToString(sum[:4]), hex.EncodeToString(sum[4:])
}

// markBrowser gives the browser the cookie, where the sign-in is for it alone.
func markBrowser(w http.ResponseWriter, begun *domain.SignIn) {
	address, err := url.Parse(begun.URL)
	if err != nil {
		return
	}
	if state := address.Query().Get("state"); strings.HasPrefix(state, domain.SignInOfBrowser) {
		name, value := browserCookie(state)
		setBrowserCookie(w, begun.Redirect, name, value, signInSeconds)
	}
}

// signInSeconds is how long a person has to finish.
const signInSeconds = 15 * 60

func setBrowserCookie(w http.ResponseWriter, redirect, name, value string, seconds int) {
	back, err := url.Parse(redirect)
	if err != nil {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever people come back over TLS
		Name: name, Value: value, Path: back.Path, MaxAge: seconds,
		HttpOnly: true, Secure: back.Scheme == "https", SameSite: http.SameSiteLaxMode,
	})
}

// checkBrowser refuses who comes back with the state of another browser; nothing of the sign-in is used
// up by that.
func checkBrowser(w http.ResponseWriter, r *http.Request, state string) error {
	if !strings.HasPrefix(state, domain.SignInOfBrowser) {
		return nil
	}
	name, value := browserCookie(state)
	cookie, err := r.Cookie(name)
	if err != nil || subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(value)) != 1 {
		return &domain.Error{Code: domain.CodeSignInOver, Message: "This sign-in was begun in another browser. Begin it again in this one."}
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // it takes the cookie away, however it was set
		Name: name, Path: r.URL.Path, MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return nil
}
