package handlers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
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
	back := "/v1/connectors/sign-in/callback?code=c&session_state=of-theirs&state=" + address.Query().Get("state")
	if page := c.want(200, "GET", back, ""); !strings.Contains(page.text, "You are signed in to Vault") {
		t.Errorf("the page: %s", page.text)
	}
	c.want(409, "GET", back, "")
}
