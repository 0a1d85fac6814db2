package doors

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// mint makes a key of a workspace's.
func (s *server) mint(role string) (key, id string) {
	s.T.Helper()
	made := s.Call("POST", "/v1/keys", map[string]any{"name": "the " + role, "role": role}, bearer(rootKey)...).Want(201)
	return made.Str("key"), made.Str("id")
}

// TestAKeyTypedOnce: a browser gets a cookie for it, which may do what the key may, and ends
// with it.
func TestAKeyTypedOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(c *app.Config) { c.RootKey = rootKey })
		key, id := s.mint("member")
		b := newBrowser(t, s)
		b.me(401)
		b.call("POST", "/v1/sign-in", `{"key":"fmt_wrong"}`, 401)
		response, _ := b.send("POST", s.URL+"/v1/sign-in", `{"key":" `+key+` "}`)
		cookie := response.Header.Get("Set-Cookie")
		for _, part := range []string{"fermata_session=fms_", "Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=2592000"} {
			if !strings.Contains(cookie, part) {
				t.Errorf("the cookie %s is without %s", cookie, part)
			}
		}
		if me := b.me(200); me["id"] != id || me["method"] != "key" || me["role"] != "member" || me["key"].(map[string]any)["name"] != "the member" {
			t.Errorf("the browser is %v", me)
		}
		b.call("POST", "/v1/keys", `{"name":"x","role":"admin"}`, 403)
		b.call("POST", "/v1/sessions", `{}`, 201)
		ticket := b.call("POST", "/v1/stream-tickets", "", 201)
		if !strings.Contains(ticket, "tkt_") {
			t.Errorf("a ticket for a cookie: %s", ticket)
		}

		// A second browser of the same key: each sees both, and one ends the other.
		other := newBrowser(t, s)
		other.call("POST", "/v1/sign-in", `{"key":"`+key+`"}`, 200)
		var list struct {
			Data []struct {
				ID      string
				Current bool
			}
		}
		if err := json.Unmarshal([]byte(other.call("GET", "/v1/me/sessions", "", 200)), &list); err != nil || len(list.Data) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, one := range list.Data {
			if !one.Current {
				other.call("DELETE", "/v1/me/sessions/"+one.ID, "", 204)
			}
		}
		b.me(401)
		other.me(200)
		s.Call("DELETE", "/v1/keys/"+id, nil, bearer(rootKey)...).Want(204)
		other.me(401)

		root := newBrowser(t, s)
		root.call("POST", "/v1/sign-in", `{"key":"`+rootKey+`"}`, 200)
		if me := root.me(200); me["role"] != "root" || me["method"] != "root_key" {
			t.Errorf("root is %v", me)
		}
		root.call("POST", "/v1/workspaces", `{"id":"acme"}`, 201)
		root.call("GET", "/v1/zones", "", 200, "Fermata-Workspace", "acme")
		s.Stop()
		s2 := newServer(t, db, func(c *app.Config) { c.RootKey = rootKey + "-another" })
		again := newBrowser(t, s2)
		again.client.Jar.SetCookies(mustURL(t, s2.URL), root.client.Jar.Cookies(mustURL(t, s.URL)))
		again.me(401) // the root key is another one
	})
}

// TestACookieIsForTheOwnPage: what changes something has to come from there.
func TestACookieIsForTheOwnPage(t *testing.T) {
	const front = "https://app.example"
	s := newServer(t, harness.Databases["sqlite"](t), func(c *app.Config) { c.RootKey, c.AllowedOrigins = rootKey, []string{front} })
	key, _ := s.mint("member")
	b := newBrowser(t, s)
	b.call("POST", "/v1/sign-in", `{"key":"`+key+`"}`, 200)
	for what, c := range map[string]struct {
		status  int
		headers []string
	}{
		"another site":        {403, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}},
		"a neighbour":         {403, []string{"Sec-Fetch-Site", "same-site", "Origin", "https://evil.example"}},
		"no origin":           {403, []string{"Sec-Fetch-Site", ""}},
		"an origin alone":     {403, []string{"Sec-Fetch-Site", "", "Origin", "https://evil.example"}},
		"no origin at all":    {403, []string{"Sec-Fetch-Site", "", "Origin", "null"}},
		"the own origin":      {201, []string{"Sec-Fetch-Site", "", "Origin", s.URL}},
		"an allowed origin":   {201, []string{"Sec-Fetch-Site", "same-site", "Origin", front}},
		"a form of elsewhere": {403, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Content-Type", "text/plain"}},
	} {
		response, text := b.send("POST", s.URL+"/v1/sessions", `{}`, c.headers...)
		if response.StatusCode != c.status || c.status == 403 && !strings.Contains(text, "cross_origin") {
			t.Errorf("%s: %d %s", what, response.StatusCode, text)
		}
		if what == "an allowed origin" && response.Header.Get("Access-Control-Allow-Credentials") != "true" {
			t.Errorf("%s may not read the answer: %v", what, response.Header)
		}
	}
	b.call("GET", "/v1/zones", "", 403, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors")
	b.call("GET", "/v1/me", "", 200, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	b.call("POST", "/v1/sign-out", "", 403, "Sec-Fetch-Site", "cross-site") // nor is anybody signed out
	b.me(200)
}

// TestBadCookies are as good as none.
func TestBadCookies(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t), func(c *app.Config) { c.RootKey = rootKey })
	key, _ := s.mint("member")
	b := newBrowser(t, s)
	b.call("POST", "/v1/sign-in", `{"key":"`+key+`"}`, 200)
	good := b.client.Jar.Cookies(mustURL(t, s.URL))[0].String()
	other := "x"
	if strings.HasSuffix(good, other) {
		other = "y" // one in 64 ends so
	}
	for what, cookie := range map[string]string{
		"two of the name": good + "; " + good, "two, one bad": "fermata_session=x; " + good, "a NUL": good + "%00", "long": "fermata_session=" + strings.Repeat("x", 10<<10),
		"a key": "fermata_session=" + key, "the root key": "fermata_session=" + rootKey, "empty": "fermata_session=", "another": good[:len(good)-1] + other, "a quote": `fermata_session="`,
		"SQL": "fermata_session=' OR 1=1 --", "another name": "__Host-" + good,
	} {
		if got := s.Call("GET", "/v1/me", nil, "Cookie", cookie); got.Status != 401 || got.Str("code") != "unauthenticated" {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	s.Call("GET", "/v1/me", nil, "Cookie", good).Want(200)
	s.Call("GET", "/v1/me", nil, "Cookie", good, "Authorization", "Bearer nonsense").Problem(401, "unauthenticated")
}

// TestNoFixedCookie: a cookie that another person put into the browser is theirs, and not the
// person's who signs in afterwards.
func TestNoFixedCookie(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t), func(c *app.Config) { c.RootKey = rootKey })
	thief, person := newBrowser(t, s), newBrowser(t, s)
	key, _ := s.mint("viewer")
	thief.call("POST", "/v1/sign-in", `{"key":"`+key+`"}`, 200)
	planted := thief.client.Jar.Cookies(mustURL(t, s.URL))
	person.client.Jar.SetCookies(mustURL(t, s.URL), planted)
	own, _ := s.mint("admin")
	person.call("POST", "/v1/sign-in", `{"key":"`+own+`"}`, 200)
	if now := person.client.Jar.Cookies(mustURL(t, s.URL)); len(now) != 1 || now[0].Value == planted[0].Value {
		t.Errorf("the cookie is still %v", now)
	}
	if me := person.me(200); me["role"] != "admin" {
		t.Errorf("the person is %v", me)
	}
	thief.me(401) // what the browser was signed in with before has ended
}

// TestManyWrongKeys: who tries keys is made to wait; a good one gets in all the same.
func TestManyWrongKeys(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t), func(c *app.Config) {
		c.RootKey, c.Rate.FailuresBurst, c.Rate.Failures = rootKey, 20, 0.001
	})
	key, _ := s.mint("member")
	statuses := map[int]int{}
	for range 40 {
		statuses[s.Call("POST", "/v1/sign-in", `{"key":"fmt_wrong"}`).Status]++
	}
	if statuses[401] != 20 || statuses[429] != 20 {
		t.Errorf("the answers are %v", statuses)
	}
	newBrowser(t, s).call("POST", "/v1/sign-in", `{"key":"`+key+`"}`, 200)
}

// TestTokensOfTheIssuer: a program of the real provider comes with its token, for this server's
// audience.
func TestTokensOfTheIssuer(t *testing.T) {
	s := newPeopleServer(t, harness.Databases["sqlite"](t), func(c *app.Config) { c.OIDCAudience = "https://fermata.example" })
	token := func(resource string) string {
		form := url.Values{"grant_type": {"client_credentials"}, "resource": {resource}}
		request, err := http.NewRequest("POST", s.Config.OIDCIssuer+"/token", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.SetBasicAuth("program", url.QueryEscape(clientSecret))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var said struct {
			Token string `json:"access_token"`
		}
		body, _ := io.ReadAll(response.Body)
		if json.Unmarshal(body, &said) != nil || strings.Count(said.Token, ".") != 2 {
			t.Fatalf("the provider says %s", body)
		}
		return said.Token
	}
	good := token("https://fermata.example")
	me := s.Call("GET", "/v1/me", nil, bearer(good)...).Want(200)
	if me.Str("method") != "oidc" || me.Str("role") != "member" || me.At("session") != nil || me.At("expires_at") == nil {
		t.Errorf("the program is %s", me.Body)
	}
	s.Call("POST", "/v1/sessions", map[string]any{}, bearer(good)...).Want(201)
	s.Call("POST", "/v1/keys", map[string]any{"name": "k", "role": "admin"}, bearer(good)...).Problem(403, "forbidden")
	s.Call("GET", "/v1/zones", nil, append(bearer(good), "Fermata-Workspace", "acme")...).Problem(403, "forbidden")
	s.Call("GET", "/v1/me", nil, bearer(token("https://another.example"))...).Problem(401, "token_invalid")
	s.Call("GET", "/v1/me", nil, bearer(good[:len(good)-4]+"AAAA")...).Problem(401, "token_invalid")
	head, rest, _ := strings.Cut(good, ".")
	s.Call("GET", "/v1/me", nil, bearer("eyJhbGciOiJub25lIn0."+rest)...).Problem(401, "token_invalid")
	s.Call("GET", "/v1/me", nil, bearer(head+".x.y")...).Problem(401, "token_invalid")
	ticket := s.Call("POST", "/v1/stream-tickets", nil, bearer(good)...).Want(201).Str("ticket")
	s.Call("GET", "/v1/events?ticket="+ticket, nil).Want(200)
}

// TestAPersonsChatHasTheirRights: what the issuer's word does not cover, the person's chat may
// not do either; and a person who was sent away can sign in when the issuer is there again.
func TestAPersonsChatHasTheirRights(t *testing.T) {
	s := newPeopleServer(t, harness.Databases["sqlite"](t))
	ada, ben := newBrowser(t, s), newBrowser(t, s)
	ada.signIn("ada", "/")
	ben.signIn("ben", "/")
	ada.call("POST", "/v1/providers", `{"name": "Script", "kind": "script", "is_default": true, "config": {"steps": [
		{"when": {"roundtrip": 1}, "answer": {"text": "I do it.", "calls": [`+makesType+`]}}, {"answer": {"text": "So it is."}}]}}`, 201)
	says := func(b *browser) (record string) {
		var chat struct{ ID, Status string }
		if err := json.Unmarshal([]byte(b.call("POST", "/v1/sessions", `{"message":{"text":"add the type mood"}}`, 201)), &chat); err != nil {
			t.Fatal(err)
		}
		testkit.Until(t, "the round to end", func() bool {
			return strings.Contains(b.call("GET", "/v1/sessions/"+chat.ID, "", 200), `"status":"idle"`)
		})
		return b.call("GET", "/v1/sessions/"+chat.ID+"/messages", "", 200)
	}
	if record := says(ben); !strings.Contains(record, `"code":"forbidden"`) || !strings.Contains(record, `"sender_name":"Ben"`) {
		t.Errorf("the record of the member's chat: %s", record)
	}
	ada.call("GET", "/v1/tool-types/mood", "", 404)
	if record := says(ada); !strings.Contains(record, `"sender_name":"Ada Lovelace"`) {
		t.Errorf("the record of the admin's chat: %s", record)
	}
	ada.call("GET", "/v1/tool-types/mood", "", 200)
}
