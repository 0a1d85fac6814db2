package outside

import (
	"net"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// A sign-in to a connector's server lends a workspace the rights of the person who agrees. Two checks prevent a
// person from agreeing for someone else's workspace by following a link:
//
//   - A sign-in that the page began is bound to that browser by a random secret in a cookie, whose hash is part
//     of the state. It cannot be finished in any other browser.
//   - A sign-in that a program began can be finished in any browser, but only from a confirmation page, which
//     names the connector, its workspace and who began the sign-in.

// signInBrowser returns the host under which a browser of the page reaches this server, for a new secret. The
// result is zero for programs.
func signInBrowser(r *http.Request) (browser outside.SignInBrowser, secret string) {
	if r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return outside.SignInBrowser{}, ""
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	secret, hash := auth.NewSignInSecret()
	return outside.SignInBrowser{Host: host, Hash: hash}, secret
}

func errOtherBrowser() error {
	return &domain.Error{Code: domain.CodeSignInOver, Message: "This sign-in was begun in another browser. Begin it again in this one."}
}
