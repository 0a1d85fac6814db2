package handlers

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// vouching is an issuer that vouches for everybody who comes with the code "good".
type vouching struct{}

func (vouching) Issuer() string { return "https://issuer.example" }

func (vouching) Begin(_ context.Context, returnTo string) (to, cookie string, err error) {
	return "/problems?from=" + url.QueryEscape(returnTo), "begun", nil
}

func (v vouching) Finish(_ context.Context, _ string, query url.Values) (*people.Person, string, error) {
	if query.Get("code") != "good" {
		return nil, "/", domain.Errorf(domain.CodeTokenInvalid, "The issuer's token is refused: its signature is not good.")
	}
	return &people.Person{ID: "usr_1", Issuer: v.Issuer(), Name: "Ada", Role: domain.RoleMember, Workspaces: []string{domain.DefaultWorkspace}}, "/#/chat", nil
}

// trusting believes that issuer; the key of the server stands for the person.
type trusting struct{ SignIns }

func (s trusting) SignInPerson(r *http.Request, _ *people.Person) (*auth.Opened, error) {
	return s.SignInByKey(r, aRootKey)
}

func everyPerson(t *testing.T, w *world, c *testClient) {
	ports := &w.config.People
	ports.Issuer, ports.SignIns, w.config.Edge.PublicURL = vouching{}, trusting{SignIns: ports.SignIns}, ""
	*c = *w.serve(t)
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	mine := &people.SignedIn{
		ID: "sgn_1", WorkspaceID: domain.DefaultWorkspace, Owner: "key_root", Hash: "h", Method: people.SignInKey, CreatedAt: worldTime,
		LastUsedAt: worldTime, ExpiresAt: worldTime.Add(time.Hour),
	}
	if err := w.Store.SignIns.InsertSignIn(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	all(c, []call{
		{200, "GET", "/v1/sign-in", ""}, {200, "POST", "/v1/sign-in", `{"key":"` + aRootKey + `"}`}, {401, "POST", "/v1/sign-in", `{"key":"fmt_x"}`},
		{422, "POST", "/v1/sign-in", `{"key":""}`}, {422, "POST", "/v1/sign-in", `{"kye":"x"}`}, {413, "POST", "/v1/sign-in", `{"key":"` + strings.Repeat("x", maxBody) + `"}`},
		{422, "POST", "/v1/sign-in", `{"key":"` + strings.Repeat("x", 501) + `"}`},
		{303, "GET", "/v1/sign-in/oidc?return_to=/", ""}, {401, "GET", "/v1/sign-in/callback?code=bad&anything=else", ""},
		{200, "GET", "/v1/me", ""}, {200, "GET", "/v1/me/sessions", ""}, {404, "DELETE", "/v1/me/sessions/sgn_2", ""},
		{204, "DELETE", "/v1/me/sessions/sgn_1", ""}, {204, "DELETE", "/v1/me/sessions", ""}, {204, "POST", "/v1/sign-out", ""},
	})
	got := c.want(http.StatusSeeOther, "GET", "/v1/sign-in/callback?code=good", "")
	if cookie := got.header.Get("Set-Cookie"); got.header.Get("Location") != "/#/chat" || !strings.Contains(strings.Join(got.header.Values("Set-Cookie"), "\n"), "fermata_session=fms_") {
		t.Errorf("signed in: %v %q", got.header, cookie)
	}
	got = c.want(http.StatusSeeOther, "GET", "/v1/sign-in/callback?code=bad", "", "Accept", "text/html")
	if to := got.header.Get("Location"); !strings.HasPrefix(to, "/#/sign-in?problem=token_invalid&request_id=req_") {
		t.Errorf("refused: %s", to)
	}
}

// TestOwnPath: a link to here leads nowhere else.
func TestOwnPath(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "/#/chat/ses_1": "/#/chat/ses_1", "/?x=1#/data": "/?x=1#/data", "": "/", "chat": "/",
		"//evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "https://evil.example/": "/", "javascript:alert(1)": "/",
		"/\t/evil.example": "/", "/\n": "/", "/%2f/evil.example": "/", "/%5cevil.example": "/%5cevil.example",
		"/v1/sign-in/oidc": "/", "/" + strings.Repeat("x", 1000): "/", "/%zz": "/", "/\x00": "/", "/.//evil.example": "/",
	} {
		if got := ownPath(path); got != want {
			t.Errorf("%.40q leads to %q, want %q", path, got, want)
		}
	}
}

// failing is an issuer that every sign-in fails at, and that counts how often it is asked.
type failing struct {
	vouching

	err   error
	asked int
}

func (f *failing) Finish(ctx context.Context, cookie string, query url.Values) (*people.Person, string, error) {
	f.asked++
	if query.Get("code") == "good" {
		return f.vouching.Finish(ctx, cookie, query)
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
		w := newWorld(t)
		issuer := &failing{err: err}
		people := &w.config.People
		people.Issuer, people.SignIns, w.config.Edge.PublicURL = issuer, trusting{SignIns: people.SignIns}, ""
		c := w.serveWith(t, RateLimits{FailuresPerSecond: 0.001, FailuresBurst: 3})
		c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for range 5 {
			c.want(http.StatusSeeOther, "GET", "/v1/sign-in/callback?code=good", "")
		}
		issuer.asked = 0
		for range 6 {
			c.do("GET", "/v1/sign-in/callback?code=bad", "")
		}
		c.want(http.StatusTooManyRequests, "GET", "/v1/sign-in/callback?code=bad", "")
		if issuer.asked != 3 {
			t.Errorf("%s: the issuer was asked %d times", what, issuer.asked)
		}
	}
}
