package edge_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestNoCallIgnoresAParameter: every call with a role refuses one that the contract does
// not name for it, and one that stands twice.
func TestNoCallIgnoresAParameter(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for call, known := range api.Queries {
		method, path, _ := strings.Cut(call, " ")
		if !strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/v1/hooks/") || strings.HasPrefix(path, "/v1/callbacks/") ||
			path == "/v1/sign-in/callback" { // an issuer may add what it likes
			continue
		}
		if path == "/v1/connectors/sign-in/callback" { // another server makes its address
			continue
		}
		path = strings.NewReplacer("{session_id}", "ses_1", "{", "", "}", "").Replace(path)
		at, code, _ := servertest.FieldError(t, c.Do(method, path+"?stauts=open", ""))
		if at != "/stauts" || code != "unknown_parameter" {
			t.Errorf("%s: %s %s", call, at, code)
		}
		for name, many := range known {
			if many || name == "ticket" {
				continue
			}
			at, code, _ := servertest.FieldError(t, c.Do(method, path+"?"+url.Values{name: {"1", "2"}}.Encode(), ""))
			if at != "/"+name || code != "repeated_parameter" {
				t.Errorf("%s, %s twice: %s %s", call, name, at, code)
			}
		}
	}
}

func TestWhatIsSaidOfAParameter(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for path, want := range map[string]string{
		"/v1/approvals?stauts=open":                  `There is no parameter "stauts". Did you mean "status"?`,
		"/v1/zones/zon_1?force=true":                 `There is no parameter "force": this call takes none.`,
		"/v1/tools?color=red":                        `There is no parameter "color". There are: after, limit, zone_id.`,
		"/v1/tools?limit=1&limit=2":                  `The parameter "limit" is given more than once.`,
		"/v1/tools?" + strings.Repeat("x", 300) + "": `There is no parameter "` + strings.Repeat("x", 99) + `…". There are: after, limit, zone_id.`,
	} {
		if _, _, message := servertest.FieldError(t, c.Do("GET", path, "")); message != want {
			t.Errorf("%.60s: %s", path, message)
		}
	}
	for _, query := range []string{"limit=%zz", "a;b=1", strings.Repeat("a&", 200)} {
		if got := c.Want(400, "GET", "/v1/tools?"+query, ""); got.Body["code"] != "unreadable" {
			t.Errorf("%.20s: %s", query, got.Text)
		}
	}
	// Without credentials the response reveals nothing about parameters.
	c.Want(401, "GET", "/v1/tools?color=red", "", "Authorization", "Bearer unknown")
}

// TestAnyVersionOfAList verifies that any version of an If-Match list may match and a weak one never does; an
// invalid tag is reported as such and not as a conflict.
func TestAnyVersionOfAList(t *testing.T) {
	is := servertest.NewWorld(t).Serve(t).Want(200, "GET", "/v1/zones/zon_1", "").Header.Get("ETag")
	for tag, status := range map[string]int{
		is: 200, `"99", ` + is: 200, is + ` , "99"`: 200, `"99","98",W/"97",` + is: 200, "*": 200, `"x,y", ` + is: 200,
		`"99"`: 412, "W/" + is: 412, `"99","98"`: 412, `"abc"`: 412, `W/` + is + `,"98"`: 412, `""`: 412, `"0` + strings.Trim(is, `"`) + `"`: 412,
		"garbage": 422, strings.Trim(is, `"`): 422, `"1" "2"`: 422, `"1`: 422, "W/1": 422, `"1", *`: 422, ",": 422, strings.Repeat(`"7",`, 21): 422,
	} {
		c := servertest.NewWorld(t).Serve(t)
		got := c.Want(status, "PATCH", "/v1/zones/zon_1", `{"name":"x"}`, "If-Match", tag)
		if status != 422 {
			continue
		}
		if at, code, _ := servertest.FieldError(t, got); at != "/If-Match" || code != "wrong_format" {
			t.Errorf("%s: %s", tag, got.Text)
		}
	}
}

func TestWhatIsUnchangedIsNotSentAgain(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, path := range []string{"/v1/zones/zon_1", "/v1/tools/tol_1", "/v1/entries/ent_1", "/v1/documents/doc_1", "/v1/automations/aut_1", "/v1/settings", "/v1/zones", "/v1/tools?limit=1"} {
		is := c.Want(200, "GET", path, "").Header.Get("ETag")
		for _, tag := range []string{is, "W/" + is, `"99", ` + is, "*"} {
			if got := c.Want(304, "GET", path, "", "If-None-Match", tag); got.Text != "" || got.Header.Get("ETag") != is {
				t.Errorf("%s: %q %v", tag, got.Text, got.Header)
			}
		}
		c.Want(200, "GET", path, "", "If-None-Match", `"99"`)
	}
	c.Want(404, "GET", "/v1/zones/zon_none", "", "If-None-Match", "*")
	c.Want(200, "GET", "/v1/commands", "", "If-None-Match", "*") // these are not edited one by one
	c.Want(422, "GET", "/v1/zones/zon_1", "", "If-None-Match", "garbage")
}

func TestAPatchUnderItsOwnName(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	c.Want(200, "PATCH", "/v1/settings", `{}`, "Content-Type", "application/merge-patch+json")
	c.Want(200, "PATCH", "/v1/zones/zon_1", `{"name":"x"}`, "Content-Type", "application/merge-patch+json; charset=utf-8")
	got := c.Want(415, "PATCH", "/v1/zones/zon_1", `[]`, "Content-Type", "application/json-patch+json")
	servertest.Equal(t, "what PATCH takes", got.Header.Get("Accept-Patch"), "application/merge-patch+json, application/json")
	got = c.Want(415, "POST", "/v1/zones", `{"name":"x"}`, "Content-Type", "application/merge-patch+json")
	servertest.Equal(t, "of another call", got.Header.Get("Accept-Patch"), "")
	got = c.Want(405, "PUT", "/v1/zones/zon_1", "")
	servertest.Equal(t, "with the methods", got.Header.Get("Accept-Patch"), "application/merge-patch+json, application/json")
}

func TestBodiesComeAsTheyAre(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for path, type_ := range map[string]string{"/v1/zones": "application/json", "/v1/hooks/aut_1/secret": "application/json", "/v1/tools/tol_1/entries/import": "text/csv"} {
		for _, encoding := range []string{"gzip", "br", "identity, gzip"} {
			got := c.Want(415, "POST", path, "\x1f\x8b", "Content-Type", type_, "Content-Encoding", encoding, "Idempotency-Key", "k")
			servertest.Equal(t, "what is taken", got.Header.Get("Accept-Encoding"), "identity")
		}
	}
	c.Want(201, "POST", "/v1/zones", `{"name":"x"}`, "Content-Encoding", "Identity")
}
