package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
)

// connectorSignInLife is how long a person has to finish a sign-in to a connector's server.
const connectorSignInLife = 15 * time.Minute

// bindingSize is the length of a hash in the state of a bound sign-in.
const bindingSize = 43

// NewSignInSecret returns a random secret for the cookie of the browser that begins a sign-in to a connector's
// server, and the secret's hash, which becomes part of the sign-in's state. The state passes through other
// servers and the address bar; the secret does not follow from it.
func NewSignInSecret() (secret, hash string) {
	secret = rand.Text()
	return secret, bindingOf(secret)
}

func bindingOf(secret string) string {
	sum := sha256.Sum256([]byte("fermata connector sign-in\n" + secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// bindingIn returns the hash in the state of a bound sign-in; "" in that of any other.
func bindingIn(state string) string {
	rest, bound := strings.CutPrefix(state, outside.SignInOfBrowser)
	if !bound || len(rest) < bindingSize {
		return ""
	}
	return rest[:bindingSize]
}

// bindingCookie names the cookie of one sign-in: each has its own, so that two tabs can sign in at once.
func bindingCookie(hash string) string { return connectorCookie + "_" + hash[:8] }

// SetConnectorSignIn sets the cookie of the browser that begins a bound sign-in.
func (c Cookies) SetConnectorSignIn(w http.ResponseWriter, secret string) {
	c.set(w, bindingCookie(bindingOf(secret)), secret, connectorSignInLife)
}

// TakeConnectorSignIn reports whether the browser has the cookie of a bound sign-in, and deletes that cookie.
func (c Cookies) TakeConnectorSignIn(w http.ResponseWriter, r *http.Request, state string) bool {
	hash := bindingIn(state)
	if hash == "" {
		return false
	}
	secret, _ := c.one(r, bindingCookie(hash))
	if secret == "" || subtle.ConstantTimeCompare([]byte(bindingOf(secret)), []byte(hash)) != 1 {
		return false
	}
	c.clear(w, bindingCookie(hash))
	return true
}

// ConfirmationToken returns the token that the confirmation page's form sends back. It is valid only together
// with the browser's cookie, which is set if there is none, and only for these values.
func (c Cookies) ConfirmationToken(w http.ResponseWriter, r *http.Request, values ...string) string {
	secret, _ := c.one(r, confirmCookie)
	if len(secret) < 26 || len(secret) > 64 {
		secret = rand.Text()
		c.set(w, confirmCookie, secret, connectorSignInLife)
	}
	return confirmation(secret, values)
}

// Confirmed reports whether a token was made by ConfirmationToken for this browser and these values.
func (c Cookies) Confirmed(r *http.Request, token string, values ...string) bool {
	secret, _ := c.one(r, confirmCookie)
	return secret != "" && hmac.Equal([]byte(token), []byte(confirmation(secret, values)))
}

func confirmation(secret string, values []string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, value := range values {
		mac.Write([]byte(value))
		mac.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
