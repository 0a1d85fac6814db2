package people_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
	peopleapi "github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestOwnPath: a link to here leads nowhere else.
func TestOwnPath(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "/#/chat/ses_1": "/#/chat/ses_1", "/?x=1#/data": "/?x=1#/data", "": "/", "chat": "/",
		"//evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "https://evil.example/": "/", "javascript:alert(1)": "/",
		"/\t/evil.example": "/", "/\n": "/", "/%2f/evil.example": "/", "/%5cevil.example": "/%5cevil.example",
		"/v1/sign-in/oidc": "/", "/" + strings.Repeat("x", 1000): "/", "/%zz": "/", "/\x00": "/", "/.//evil.example": "/",
	} {
		if got := peopleapi.OwnPath(path); got != want {
			t.Errorf("%.40q leads to %q, want %q", path, got, want)
		}
	}
}

// failing is an issuer that every sign-in fails at, and that counts how often it is asked.
type failing struct {
	servertest.Vouching

	err   error
	asked int
}

func (f *failing) Finish(ctx context.Context, cookie string, query url.Values) (*people.IssuerPerson, string, error) {
	f.asked++
	if query.Get("code") == "good" {
		return f.Vouching.Finish(ctx, cookie, query)
	}
	return nil, "/", f.err
}

// TestTheIssuerIsNotAskedBeyondTheBucket verifies that failed sign-ins, whatever the reason, use up the rate limit
// of their address, after which the issuer receives no requests. Successful sign-ins do not count.
func TestTheIssuerIsNotAskedBeyondTheBucket(t *testing.T) {
	for what, err := range map[string]error{
		"a code that is refused":    domain.Errorf(domain.CodeSignInRefused, "no"),
		"a cookie that is not ours": domain.Errorf(domain.CodeSignInLost, "no"),
		"a token that is no good":   domain.Errorf(domain.CodeTokenInvalid, "no"),
		"an issuer that is down":    domain.Errorf(domain.CodeIssuerUnavailable, "no"),
		"an issuer that limits us":  domain.Errorf(domain.CodeIssuerUnavailable, "429"),
	} {
		w := servertest.NewWorld(t)
		issuer := &failing{err: err}
		people := &w.Config.People
		people.Issuer, people.SignIns, w.Config.Edge.PublicURL = issuer, servertest.Trusting{SignIns: people.SignIns}, ""
		c := w.ServeWith(t, edge.RateLimits{FailuresPerSecond: 0.001, FailuresBurst: 3})
		c.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for range 5 {
			c.Want(http.StatusSeeOther, "GET", "/v1/sign-in/callback?code=good", "")
		}
		issuer.asked = 0
		for range 6 {
			c.Do("GET", "/v1/sign-in/callback?code=bad", "")
		}
		c.Want(http.StatusTooManyRequests, "GET", "/v1/sign-in/callback?code=bad", "")
		if issuer.asked != 3 {
			t.Errorf("%s: the issuer was asked %d times", what, issuer.asked)
		}
	}
}
