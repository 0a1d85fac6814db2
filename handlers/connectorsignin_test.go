package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain/outside"
)

// signIns: a person begins one, and comes back from a server that gives them what they want.
func signIns(t *testing.T, _ *world, c *testClient) {
	var outside *httptest.Server
	outside = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		at := func(path string) string { return outside.URL + path }
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/.well-known/oauth-protected-resource"):
			fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q]}`, outside.URL, outside.URL)
		case strings.HasPrefix(path, "/.well-known/oauth-authorization-server"):
			fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"response_types_supported":["code"],
				"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`, outside.URL, at("/authorize"), at("/token"))
		case path == "/token":
			fmt.Fprint(w, `{"access_token":"a","token_type":"Bearer","expires_in":60}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(outside.Close)
	made := c.want(201, "POST", "/v1/connectors", fmt.Sprintf(
		`{"name":"Vault","kind":"mcp","prefix":"VAULT","config":{"url":%q,"auth":"oauth","client_id":"me"}}`, outside.URL))
	begun := c.want(200, "POST", fmt.Sprintf("/v1/connectors/%v/sign-in", made.body["id"]), "")
	address, err := url.Parse(fmt.Sprint(begun.body["url"]))
	if err != nil {
		t.Fatal(err)
	}
	state := address.Query().Get("state")
	back := "/v1/connectors/sign-in/callback?code=c&session_state=of-theirs&state=" + state
	status := func() any {
		return c.want(200, "GET", fmt.Sprintf("/v1/connectors/%v", made.body["id"]), "").body["status"]
	}
	before := status()

	// The page of the link shows what is about to be connected; nothing happens until the person continues.
	b := &browser{t: t, c: c}
	page := b.visit("GET", back, "")
	for _, part := range []string{"Connect Vault?", outside.URL, "<td>default</td>", "<td>key_root</td>"} {
		if !strings.Contains(page.text, part) {
			t.Errorf("the confirmation page lacks %q: %s", part, page.text)
		}
	}
	if page.status != 200 || !strings.Contains(page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || status() != before {
		t.Errorf("the confirmation page: %d %v, and the connector is %v", page.status, page.header, status())
	}
	form := formIn(page.text)
	const action = "/v1/connectors/sign-in/callback"
	elsewhere := &browser{t: t, c: c}
	elsewhere.visit("GET", back, "")
	changed := func(name, value string) string {
		other := url.Values{}
		for field := range form {
			other.Set(field, form.Get(field))
		}
		other.Set(name, value)
		return other.Encode()
	}
	for what, refused := range map[string]struct {
		b    *browser
		form string
		want int
	}{
		"without the cookie": {&browser{t: t, c: c}, form.Encode(), 403}, "in another browser": {elsewhere, form.Encode(), 403},
		"without the token": {b, changed("token", ""), 403}, "with another code": {b, changed("code", "x"), 403},
		"with another issuer": {b, changed("iss", "https://a.example"), 403}, "with another state": {b, changed("state", "x"), 409},
		"with a bound state": {b, changed("state", "browser-x"), 409},
	} {
		if got := refused.b.visit("POST", action, refused.form); got.status != refused.want || status() != before {
			t.Errorf("%s: %d, and the connector is %v", what, got.status, status())
		}
	}
	if page := b.visit("POST", action, form.Encode()); page.status != 200 || !strings.Contains(page.text, "You are signed in to Vault") {
		t.Errorf("the page: %s", page.text)
	}
	c.want(409, "GET", back, "")
}

// A sign-in that the page begins is bound to the browser by a random cookie.
func TestSignInIsBoundToItsBrowser(t *testing.T) {
	for name, secure := range map[string]bool{"__Host-": true, "": false} {
		s := &connectorRoutes{edge: &edge{Edge: Edge{Cookies: auth.Cookies{Secure: secure}}}}
		calls := &pendingSignIns{}
		s.SignIn = calls
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/connectors/con_1/sign-in", nil)
		request.Host = "fermata.example:8080"
		for _, site := range []string{"", "cross-site", "none", "same-site"} {
			request.Header.Set("Sec-Fetch-Site", site)
			if browser, secret := signInBrowser(request); browser != (outside.SignInBrowser{}) || secret != "" {
				t.Errorf("%q is taken for the page: %v", site, browser)
			}
		}
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		browser, secret := signInBrowser(request)
		if again, other := signInBrowser(request); browser.Host != "fermata.example" || browser.Hash == again.Hash || secret == other {
			t.Errorf("the browser is %v, then %v", browser, again)
		}
		set := httptest.NewRecorder()
		s.Cookies.SetConnectorSignIn(set, secret)
		cookie := set.Result().Cookies()[0]
		if !strings.HasPrefix(cookie.Name, name+"fermata_connector_sign_in_") || cookie.Path != "/" || cookie.Secure != secure || !cookie.HttpOnly {
			t.Errorf("the cookie is %v", cookie)
		}
		state := outside.SignInOfBrowser + browser.Hash + "-ABC"
		empty := sha256.Sum256([]byte("fermata connector sign-in\n"))
		noSecret := base64.RawURLEncoding.EncodeToString(empty[:])
		for what, c := range map[string]struct {
			cookie *http.Cookie
			state  string
			ends   bool
		}{
			"its browser":             {cookie, state, true},
			"no cookie":               {&http.Cookie{Name: "other", Value: "x"}, state, false},
			"a cookie from the state": {&http.Cookie{Name: cookie.Name, Value: browser.Hash}, state, false},
			"an empty cookie":         {&http.Cookie{Name: cookie.Name}, state, false},
			"another state":           {cookie, outside.SignInOfBrowser + strings.Repeat("A", 43) + "-ABC", false},
			"a short state":           {cookie, outside.SignInOfBrowser + "A", false},
			"the hash of no cookie":   {&http.Cookie{Name: "other", Value: "x"}, outside.SignInOfBrowser + noSecret + "-ABC", false},
			"a header in the state":   {cookie, outside.SignInOfBrowser + "%0d%0aSet-Cookie:%20a=b%3b" + browser.Hash, false},
			"two cookies of its name": {&http.Cookie{Name: cookie.Name, Value: secret + "; " + cookie.Name + "=planted"}, state, false},
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/connectors/sign-in/callback?code=c&state="+c.state, nil)
			r.Header.Set("Cookie", c.cookie.Name+"="+c.cookie.Value)
			r.Header.Set("Accept", "text/html")
			calls.finished = nil
			answer := httptest.NewRecorder()
			s.returnFromSignIn(answer, r)
			if ended := len(calls.finished) == 1; ended != c.ends || ended != (answer.Code == 200) {
				t.Errorf("%s: %d, finished %v", what, answer.Code, calls.finished)
			}
			if set := answer.Header().Values("Set-Cookie"); !c.ends && len(set) > 0 {
				t.Errorf("%s: sets %q", what, set)
			}
		}
	}
}

// pendingSignIns records which sign-ins were finished.
type pendingSignIns struct {
	ConnectorSignIn

	finished []outside.SignInAnswer
}

func (p *pendingSignIns) FinishSignIn(_ context.Context, answer outside.SignInAnswer) (*outside.Connector, error) {
	p.finished = append(p.finished, answer)
	return &outside.Connector{Name: "Vault", Status: outside.ConnectorReady}, nil
}
