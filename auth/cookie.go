package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Cookies writes the server's cookies. Over TLS their names begin with __Host-: no other host, and no page without TLS,
// can set one of that name. Such cookies are for the whole host, so that those of a server under a path have the path in
// their names: servers under different paths of one host do not sign each other's users out.
type Cookies struct {
	Secure bool
	suffix string
}

// CookiesFor returns the cookies of a server with a public URL; "" if it has none, and then tls reports whether it is
// reached over TLS.
func CookiesFor(publicURL string, tls bool) Cookies {
	public, err := url.Parse(publicURL)
	if publicURL == "" || err != nil {
		return Cookies{Secure: tls}
	}
	c := Cookies{Secure: strings.EqualFold(public.Scheme, "https")}
	if path := strings.Trim(public.EscapedPath(), "/"); path != "" {
		sum := sha256.Sum256([]byte(path))
		c.suffix = "_" + hex.EncodeToString(sum[:4])
	}
	return c
}

const (
	signInCookie = "fermata_session"
	begunCookie  = "fermata_sign_in" // of a sign-in in progress at the issuer
	linkCookie   = "fermata_link"    // of a browser that was shown the page of a link

	connectorCookie = "fermata_connector_sign_in"      // of a browser that began a sign-in to a connector's server
	confirmCookie   = "fermata_connector_confirmation" // of a browser that was shown the confirmation page of one
)

func (c Cookies) name(plain string) string {
	if c.Secure {
		plain = "__Host-" + plain
	}
	return plain + c.suffix
}

func (c Cookies) set(w http.ResponseWriter, name, value string, within time.Duration) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the server is reached over TLS
		Name: c.name(name), Value: value, Path: "/", MaxAge: int(within.Seconds()),
		HttpOnly: true, Secure: c.Secure, SameSite: http.SameSiteLaxMode,
	})
}

func (c Cookies) clear(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the server is reached over TLS
		Name: c.name(name), Path: "/", MaxAge: -1, HttpOnly: true, Secure: c.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// one returns the value of a cookie. Two cookies of one name count as none, since one of them may have been planted.
func (c Cookies) one(r *http.Request, name string) (value string, several bool) {
	found := r.CookiesNamed(c.name(name))
	switch len(found) {
	case 0:
		return "", false
	case 1:
		return found[0].Value, false
	}
	return "", true
}

// SetSignIn gives the browser its cookie.
func (c Cookies) SetSignIn(w http.ResponseWriter, opened *Opened) {
	c.set(w, signInCookie, opened.Cookie, opened.SignIn.ExpiresAt.Sub(opened.SignIn.CreatedAt))
}

// ClearSignIn deletes that cookie.
func (c Cookies) ClearSignIn(w http.ResponseWriter) { c.clear(w, signInCookie) }

// SetBegun sets the cookie of a sign-in in progress at the issuer.
func (c Cookies) SetBegun(w http.ResponseWriter, value string, within time.Duration) {
	c.set(w, begunCookie, value, within)
}

// TakeBegun returns that cookie and deletes it.
func (c Cookies) TakeBegun(w http.ResponseWriter, r *http.Request) string {
	c.clear(w, begunCookie)
	value, _ := c.one(r, begunCookie)
	return value
}

// LinkBrowser is the name that a browser got when it was first shown the page of a link; ""
// without one.
func (c Cookies) LinkBrowser(r *http.Request) string {
	value, _ := c.one(r, linkCookie)
	if len(value) > 64 {
		return ""
	}
	return value
}

// SetLinkBrowser gives a browser such a name.
func (c Cookies) SetLinkBrowser(w http.ResponseWriter, name string) {
	c.set(w, linkCookie, name, showingLife)
}

// checkOrigin rejects cookie-authenticated requests from pages of other origins, unless the operator allows the origin
// (CSRF protection). A request that changes something must have an Origin or Sec-Fetch-Site header, as browsers send
// it.
func (a *Authenticator) checkOrigin(r *http.Request) error {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case origin != "" && a.config.Origins.Allow(origin):
		return nil
	case site == "same-origin", site == "none":
		return nil
	case site != "" && read && r.Header.Get("Sec-Fetch-Mode") == "navigate":
		return nil // a link to here
	case site == "" && origin != "" && a.ownOrigin(r, origin):
		return nil
	case site == "" && origin == "" && read:
		return nil
	case site == "" && origin == "":
		return domain.Errorf(domain.CodeCrossOrigin,
			"A request with a cookie that changes something needs an Origin or Sec-Fetch-Site header, as browsers send it. Programs use a key: Authorization: Bearer fmt_…")
	}
	return domain.Errorf(domain.CodeCrossOrigin,
		"The cookie is valid for this server's own page only. List other origins in FERMATA_ALLOWED_ORIGINS to allow them.")
}

// ownOrigin reports whether an origin is the address that the request came to, or the public one.
func (a *Authenticator) ownOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	public, err := url.Parse(a.config.SignIns.PublicURL)
	return strings.EqualFold(u.Host, r.Host) ||
		err == nil && public.Host != "" && strings.EqualFold(u.Host, public.Host) && strings.EqualFold(u.Scheme, public.Scheme)
}
