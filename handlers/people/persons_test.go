package people_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// bearing are the headers of a caller.
func bearing(key string, more ...string) []string {
	return append([]string{"Authorization", "Bearer " + key}, more...)
}

// TestPeopleOfAProgram: a program acts for its users with its key, and issues tokens for them; an admin names and blocks them.
func TestPeopleOfAProgram(t *testing.T) {
	c := servertest.NewWorld(t).ServeKeys(t)
	root := bearing(servertest.RootKey)
	minted := c.Want(201, "POST", "/v1/keys", `{"name":"shop","role":"admin","acts_for":"any"}`, root...).Body
	if minted["acts_for"] != "any" {
		t.Errorf("the key: %v", minted)
	}
	key := minted["key"].(string)
	plain := c.Want(201, "POST", "/v1/keys", `{"name":"plain","role":"member","acts_for":null}`, root...).Body["key"].(string)

	ada := c.Want(200, "GET", "/v1/me", "", bearing(key, "Fermata-Person", "ada")...).Body
	if ada["role"] != "member" || ada["name"] != "ada" || ada["id"] != ada["person"] {
		t.Errorf("the user: %v", ada)
	}
	chat := c.Want(201, "POST", "/v1/sessions", `{}`, bearing(key, "Fermata-Person", "ada")...).Body
	if chat["owner"] != ada["person"] {
		t.Errorf("the chat: %v", chat)
	}
	token := c.Want(201, "POST", "/v1/people/tokens", `{"person":"ada","expires_in":"1h"}`, bearing(key)...).Body
	me := c.Want(200, "GET", "/v1/me", "", bearing(token["token"].(string))...).Body
	if token["person"] != ada["person"] || me["person"] != ada["person"] || me["method"] != "token" || me["expires_at"] != token["expires_at"] {
		t.Errorf("by a token: %v, issued %v", me, token)
	}
	for body, want := range map[string]int{
		`{"person":"ada","expires_in":"25h"}`: 422, `{"person":"ada","expires_in":"0s"}`: 422, `{"person":""}`: 422, `{"person":"per_1"}`: 422, `{}`: 422,
		`{"person":"` + strings.Repeat("x", 257) + `"}`: 422, `{"person":"a\u0007b"}`: 422,
	} {
		c.Want(want, "POST", "/v1/people/tokens", body, bearing(key)...)
	}
	if code := c.Want(403, "POST", "/v1/people/tokens", `{"person":"ada"}`, bearing(plain)...).Body["code"]; code != "may_not_act_for" {
		t.Errorf("a token for a key without the right: %v", code)
	}
	if code := c.Want(403, "GET", "/v1/me", "", bearing(plain, "Fermata-Person", "ada")...).Body["code"]; code != "may_not_act_for" {
		t.Errorf("acting without the right: %v", code)
	}
	at := "/v1/people/" + ada["person"].(string)
	of := c.Want(200, "GET", at+"/sessions", "", root...).Body["data"].([]any)
	if first := of[0].(map[string]any); len(of) != 1 || first["id"] != chat["id"] || first["name"] != nil {
		t.Errorf("the sessions of a person: %v", of)
	}
	c.Want(404, "GET", "/v1/people/per_none/sessions", "", root...)
	c.Want(404, "GET", "/v1/people/per_none", "", root...)
	c.Want(404, "PATCH", "/v1/people/per_none", `{"name":"x"}`, root...)
	c.Want(404, "DELETE", "/v1/people/per_none/tokens", "", root...)
	c.Want(403, "GET", "/v1/people", "", bearing(plain)...)

	if got := c.Want(200, "PATCH", at, `{"name":"Ada","blocked":true}`, root...).Body; got["name"] != "Ada" || got["blocked_at"] == nil || got["kind"] != "acted_for" || got["sessions"] != 1.0 {
		t.Errorf("blocked: %v", got)
	}
	for _, who := range [][]string{bearing(key, "Fermata-Person", "ada"), bearing(token["token"].(string))} {
		if code := c.Want(403, "GET", "/v1/me", "", who...).Body["code"]; code != "person_blocked" {
			t.Errorf("a blocked person: %v", code)
		}
	}
	c.Want(200, "PATCH", at, `{"name":null,"blocked":false}`, root...)
	if got := c.Want(200, "GET", at, "", root...).Body; got["name"] != "ada" || got["blocked_at"] != nil {
		t.Errorf("unblocked: %v", got)
	}
	c.Want(200, "GET", "/v1/me", "", bearing(token["token"].(string))...)
	c.Want(204, "DELETE", at+"/tokens", "", bearing(key)...)
	c.Want(401, "GET", "/v1/me", "", bearing(token["token"].(string))...)

	all := c.Want(200, "GET", "/v1/people?limit=200", "", root...).Body["data"].([]any)
	kinds := map[any]int{}
	for _, one := range all {
		p := one.(map[string]any)
		kinds[p["kind"]]++
		if p["kind"] == "root" {
			if code := c.Want(409, "PATCH", "/v1/people/"+p["id"].(string), `{"blocked":true}`, root...).Body["code"]; code != "person_protected" {
				t.Errorf("blocking the operator: %v", code)
			}
		}
	}
	if kinds["root"] != 1 || kinds["acted_for"] != 1 || kinds["key"] == 0 {
		t.Errorf("the kinds are %v", kinds)
	}
	mine := c.Want(200, "GET", "/v1/me", "", bearing(key)...).Body["person"].(string)
	c.Want(409, "PATCH", "/v1/people/"+mine, `{"blocked":true}`, bearing(key)...)
}

// TestABodyNamesTheUser: with a key that acts for users, the body of a protocol names one as the header does; with another key it
// only attributes the cost.
func TestABodyNamesTheUser(t *testing.T) {
	w := servertest.RunningWorld(t)
	c := w.ServeKeys(t)
	root := bearing(servertest.RootKey)
	key := c.Want(201, "POST", "/v1/keys", `{"name":"shop","role":"member","acts_for":"any"}`, root...).Body["key"].(string)
	plain := c.Want(201, "POST", "/v1/keys", `{"name":"plain","role":"member"}`, root...).Body
	ada := c.Want(200, "GET", "/v1/me", "", bearing(key, "Fermata-Person", "ada")...).Body["person"]
	own := c.Want(200, "GET", "/v1/me", "", bearing(plain["key"].(string))...).Body["person"]
	serve, said := handlers.New(w.Config), 0
	post := func(address, body string, who []string) *httptest.ResponseRecorder {
		said++ // a history that was not there before begins a session
		body = strings.ReplaceAll(body, "HELLO", "Hello"+strings.Repeat(" again", said))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+address, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(who); i += 2 {
			r.Header.Set(who[i], who[i+1])
		}
		got := httptest.NewRecorder()
		serve.ServeHTTP(got, r)
		return got
	}
	owner := func(address, body string, who ...string) any {
		t.Helper()
		got := post(address, body, who)
		if got.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s", address, body, got.Code, got.Body)
		}
		return c.Want(200, "GET", "/v1/sessions/"+got.Header().Get("X-Fermata-Session"), "", root...).Body["owner"]
	}
	chat, response := `{"model":"fermata","messages":[{"role":"user","content":"HELLO"}]`, `{"model":"fermata","input":"HELLO"`
	for address, body := range map[string]string{"/v1/chat/completions": chat, "/v1/responses": response} {
		servertest.Equal(t, "by user", owner(address, body+`,"user":"ada"}`, bearing(key)...), ada)
		servertest.Equal(t, "by safety_identifier", owner(address, body+`,"safety_identifier":"ada"}`, bearing(key)...), ada)
		servertest.Equal(t, "by both", owner(address, body+`,"user":"ada"}`, bearing(key, "Fermata-Person", "ada")...), ada)
		servertest.Equal(t, "without the right", owner(address, body+`,"user":"ada"}`, bearing(plain["key"].(string))...), own)
		for more, header := range map[string]string{
			`,"user":"ada","safety_identifier":"bea"}`: "", `,"user":"bea"}`: "ada", `,"user":"per_1"}`: "", `,"safety_identifier":"a\u200b"}`: "",
		} {
			who := bearing(key)
			if header != "" {
				who = append(who, "Fermata-Person", header)
			}
			if got := post(address, body+more, who); got.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s%s: %d %s", address, more, got.Code, got.Body)
			}
		}
	}
}
