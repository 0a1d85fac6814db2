package doors

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestPeopleSignIn: from the link on the page to a cookie, at a provider that others have
// written; with the role of a group and the workspaces of a claim.
func TestPeopleSignIn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newPeopleServer(t, db)
		s.Call("GET", "/v1/me", nil).Problem(401, "unauthenticated") // the local caller is rejected from now on
		ada := newBrowser(t, s)
		if end := ada.signIn("ada", "/#/chat/ses_1"); end.String() != s.URL+"/#/chat/ses_1" {
			t.Fatalf("signed in, and sent to %s", end)
		}
		me := ada.me(200)
		if me["name"] != "Ada Lovelace" || me["role"] != "admin" || me["method"] != "oidc" || me["workspace"] != "default" ||
			!strings.HasPrefix(me["id"].(string), "usr_") || me["session"].(map[string]any)["current"] != true {
			t.Errorf("ada is %v", me)
		}
		ben := newBrowser(t, s)
		ben.signIn("ben", "/")
		if me := ben.me(200); me["role"] != "member" {
			t.Errorf("ben is %v", me)
		}
		ben.call("POST", "/v1/keys", `{"name":"k","role":"admin"}`, 403)
		ben.call("POST", "/v1/sessions", `{}`, 201)
		ada.call("POST", "/v1/keys", `{"name":"k","role":"admin"}`, 201)

		// Two people without access: neither a session nor a workspace is created for them.
		for _, login := range []string{"eve", "zoe"} {
			other := newBrowser(t, s)
			end := other.signIn(login, "/")
			about, err := url.Parse(end.Fragment)
			if err != nil || about.Path != "/sign-in" || about.Query().Get("problem") != "not_admitted" {
				t.Errorf("%s is sent to %s", login, end)
			}
			other.me(401)
		}
		if found := ada.call("GET", "/v1/me/sessions", "", 200); strings.Count(found, `"id":"sgn_`) != 1 {
			t.Errorf("ada's browsers: %s", found)
		}
		ada.call("POST", "/v1/sign-out", "", 204)
		ada.me(401)
	})
}

// TestASignInIsOfOneBrowser: what one began no other can end; nor twice; and no one is sent
// elsewhere with a link to here.
func TestASignInIsOfOneBrowser(t *testing.T) {
	s := newPeopleServer(t, harness.Databases["sqlite"](t))
	ada := newBrowser(t, s)
	var callback string
	ada.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.Path, "/v1/sign-in/callback") {
			callback = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}
	ada.signIn("ada", "//elsewhere.example/")
	if callback == "" {
		t.Fatal("the provider sent no one back")
	}
	path := strings.TrimPrefix(callback, s.URL)
	thief := newBrowser(t, s)
	if text := thief.call("GET", path, "", 403); !strings.Contains(text, "sign_in_lost") {
		t.Errorf("in another browser: %s", text)
	}
	thief.me(401)
	begun := ada.client.Jar.Cookies(mustURL(t, s.URL))
	response, _ := ada.send("GET", callback, "")
	if to := response.Request.URL.String(); to != s.URL+"/" {
		t.Errorf("sent to %s", to)
	}
	ada.me(200)
	if text := ada.call("GET", path, "", 403); !strings.Contains(text, "sign_in_lost") {
		t.Errorf("a second time: %s", text)
	}
	thief.client.Jar.SetCookies(mustURL(t, s.URL), begun) // even with the cookie that began it
	if text := thief.call("GET", path, "", 403); !strings.Contains(text, "sign_in_lost") {
		t.Errorf("a second time, with the cookie: %s", text)
	}
	thief.me(401)
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
