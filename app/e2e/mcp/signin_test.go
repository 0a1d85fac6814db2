package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// vault is a server with a connector to a guarded server.
type vault struct {
	*harness.Server

	g  *guarded
	at string // of the connector
}

func newVault(t *testing.T, db app.Database) *vault {
	t.Helper()
	g := newGuarded(t) // before the server, whose connections its end would wait for
	v := &vault{Server: harness.NewServer(t, db), g: g}
	made := v.Call("POST", "/v1/connectors", map[string]any{
		"name": "Vault", "kind": "mcp", "prefix": "VAULT", "config": map[string]any{"url": v.g.URL, "auth": "oauth"},
	}).Want(201)
	v.at = "/v1/connectors/" + made.Str("id")
	return v
}

// signIn has a person open the link, agree, and confirm on the page that they come back to. It returns the last
// page and the address of the first.
func (v *vault) signIn() (page, back string) {
	v.T.Helper()
	begun := v.Call("POST", v.at+"/sign-in", nil).Want(200)
	jar, err := cookiejar.New(nil)
	if err != nil {
		v.T.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error { back = r.URL.String(); return nil }}
	open, err := http.NewRequest(http.MethodGet, begun.Str("url"), nil)
	if err != nil {
		v.T.Fatal(err)
	}
	open.Header.Set("Accept", "text/html")
	r, err := browser.Do(open)
	if err != nil {
		v.T.Fatal(err)
	}
	page = read(v.T, r, 200)
	if !strings.Contains(page, "Connect Vault?") || !strings.Contains(page, "<td>default</td>") {
		v.T.Fatalf("the confirmation page is %s", page)
	}
	form := url.Values{}
	for _, field := range fields.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], field[2])
	}
	action, _, _ := strings.Cut(back, "?")
	r, err = browser.PostForm(action, form)
	if err != nil {
		v.T.Fatal(err)
	}
	return read(v.T, r, 200), back
}

var fields = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

func read(t testing.TB, r *http.Response, status int) string {
	t.Helper()
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v %v: %s", r.StatusCode, r.Header, err, body)
	}
	return string(body)
}

func (v *vault) visit(address string, status int, language string) string {
	v.T.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		v.T.Fatal(err)
	}
	r.Header.Set("Accept-Language", language)
	r.Header.Set("Accept", "text/html")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		v.T.Fatal(err)
	}
	return read(v.T, response, status)
}

func (v *vault) offer(name, effect string) {
	v.T.Helper()
	v.Call("PATCH", v.at+"/commands/"+name, map[string]any{
		"state": "offered", "effect": effect, "require_validation": false, "trusted": true,
	}).Want(200)
}

// TestSignIn: a person signs in, and the connector works: its commands are listed at once,
// tokens are renewed without anybody, and a link is good once.
func TestSignIn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVault(t, db)
		if c := v.Call("GET", v.at, nil).Want(200); c.Str("status") != "needs_sign_in" || c.Str("status_detail") == "" {
			t.Errorf("before anybody signed in it is %s: %s", c.Str("status"), c.Str("status_detail"))
		}
		page, back := v.signIn()
		if !strings.Contains(page, "You are signed in to Vault") {
			t.Errorf("the page says %s", page)
		}
		c := v.Call("GET", v.at, nil).Want(200)
		if c.Str("status") != "ready" || len(c.List("commands")) != 2 || strings.Contains(string(c.Body), "access-") {
			t.Fatalf("then it is %s", c.Body)
		}
		calls := v.g.made
		if page := v.visit(back, 409, "fr"); !strings.Contains(page, "n’est plus valable") {
			t.Errorf("the second time: %s", page)
		}
		v.visit(v.URL+"/v1/connectors/sign-in/callback?state=guessed&code=c", 409, "en")
		v.visit(v.URL+"/v1/connectors/sign-in/callback", 409, "en")
		if v.g.made != calls {
			t.Errorf("tokens were asked for %d times more", v.g.made-calls)
		}
		v.g.revoke(false)
		if test := v.Call("POST", v.at+"/test", nil).Want(200); test.At("ok") != true || v.g.refreshed != 1 {
			t.Errorf("with a token that was taken back: %s, renewed %d times", test.Body, v.g.refreshed)
		}
		v.Sound()
	})
}

// TestSignInsThatDoNotComeAbout: a declined sign-in, a later link that replaces an earlier one, another address, and
// connectors that are never signed in to.
func TestSignInsThatDoNotComeAbout(t *testing.T) {
	other := newGuarded(t)
	v := newVault(t, harness.Databases["sqlite"](t))
	state := func() string {
		u, err := url.Parse(v.Call("POST", v.at+"/sign-in", nil).Want(200).Str("url"))
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("state")
	}
	back := v.URL + "/v1/connectors/sign-in/callback?state="
	first := state()
	if page := v.visit(back+first+"&error=access_denied", 503, "en"); !strings.Contains(page, "You are not signed in to Vault") {
		t.Errorf("declined: %s", page)
	}
	v.visit(back+first+"&code=code-0", 409, "en")
	old := state()
	state()
	v.visit(back+old+"&code=code-0", 409, "en")

	v.signIn()
	v.Call("PATCH", v.at, map[string]any{"config": map[string]any{"url": other.URL}}).Want(200)
	if test := v.Call("POST", v.at+"/test", nil).Want(200); test.Str("status") != "needs_sign_in" {
		t.Errorf("at another address: %s", test.Body)
	}
	v.Call("PATCH", v.at, map[string]any{"config": map[string]any{"url": v.g.URL}}).Want(200)
	if test := v.Call("POST", v.at+"/test", nil).Want(200); test.Str("status") != "needs_sign_in" {
		t.Errorf("back at the first, which was given up: %s", test.Body)
	}
	v.Call("PATCH", v.at, map[string]any{"config": map[string]any{"auth": "none"}}).Want(200)
	v.Call("POST", v.at+"/sign-in", nil).Problem(422, "invalid")
	v.Call("PATCH", v.at, map[string]any{"config": map[string]any{"auth": "oauth", "url": "http://127.0.0.1:1"}}).Want(200)
	v.Call("POST", v.at+"/sign-in", nil).Problem(503, "sign_in_failed")
	v.Call("DELETE", v.at, nil).Want(204)
	v.Call("POST", v.at+"/sign-in", nil).Problem(404, "not_found")
}

// TestASignInBelongsToItsBrowser: one that the page began is finished in that browser and in no other, which
// uses nothing up; one that a program began is finished in any browser, after a confirmation.
func TestASignInBelongsToItsBrowser(t *testing.T) {
	v := newVault(t, harness.Databases["sqlite"](t))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	own := &http.Client{Jar: jar}
	request, err := http.NewRequest(http.MethodPost, v.URL+v.at+"/sign-in", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := own.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var begun struct{ URL string }
	if err := json.NewDecoder(answer.Body).Decode(&begun); err != nil || len(answer.Cookies()) != 1 || !answer.Cookies()[0].HttpOnly {
		t.Fatalf("%v, with the cookies %v", err, answer.Cookies())
	}
	open := func(browser *http.Client, status int) string {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, begun.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		response, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, response, status)
	}
	if page := open(http.DefaultClient, 409); !strings.Contains(page, "not begun in this browser") {
		t.Errorf("another browser: %s", page)
	}
	if c := v.Call("GET", v.at, nil).Want(200); c.Str("status") != "needs_sign_in" {
		t.Errorf("after another browser it is %s", c.Str("status"))
	}
	if page := open(own, 200); !strings.Contains(page, "You are signed in to Vault") {
		t.Errorf("its own browser: %s", page)
	}
	if begun := v.Call("POST", v.at+"/sign-in", nil).Want(200); begun.Header.Get("Set-Cookie") != "" || strings.Contains(begun.Str("url"), "browser-") {
		t.Errorf("begun by a program: %v %s", begun.Header, begun.Body)
	}
}
