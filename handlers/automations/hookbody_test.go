package automations_test

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Services send events in the types that they have: each becomes one JSON value.
func TestEventsInTheTypesOfServices(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	c.Want(200, "PATCH", "/v1/automations/aut_1", `{"overlap":"queue"}`)
	form := "--b\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nhello\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n--b--\r\n"
	for _, tt := range []struct {
		kind, body string
		status     int
		want       string
	}{
		{"text/plain; charset=UTF-8", `{"Type":"Notification"}`, 202, `{"Type":"Notification"}`},
		{"text/plain", "deployed 2026", 202, `"deployed 2026"`},
		{"text/plain", "{not json", 202, `"{not json"`},
		{"application/x-www-form-urlencoded", "command=%2Frun&text=hi&to=a&to=b", 202, `{"command":"/run","text":"hi","to":["a","b"]}`},
		{"multipart/form-data; boundary=b", form, 202, `{"file":{"bytes":3,"content_type":"text/plain","filename":"a.txt"},"subject":"hello"}`},
		{"application/x-www-form-urlencoded", "a=%zz", 400, ""},
		{"application/x-www-form-urlencoded", "a=%ff", 400, ""},
		{"application/x-www-form-urlencoded", "a=b&a=%ff", 400, ""},
		{"application/x-www-form-urlencoded", "a=%00", 422, ""},
		{"application/x-www-form-urlencoded", strings.Repeat("a=b&", jsonbody.MaxEvent/4) + "a=b", 413, ""},
		{"multipart/form-data", form, 400, ""},
		{"multipart/form-data; boundary=b", form[:40], 400, ""},
		{"text/plain", "a\x00b", 400, ""},
		{"text/plain; charset=latin1", "x", 415, ""},
		{"application/json; charset=utf-16", "{}", 415, ""},
		{"image/png", "x", 415, ""},
		{"nonsense", "x", 415, ""},
	} {
		before := w.Seen.Count()
		c.Want(tt.status, "POST", "/v1/hooks/aut_1/secret", tt.body, "Content-Type", tt.kind)
		switch {
		case tt.status >= 400 && w.Seen.Count() != before:
			t.Errorf("%s %.40q began a run", tt.kind, tt.body)
		case tt.status < 400 && w.Seen.Last() != tt.want:
			t.Errorf("%s %.40q came as %.80q, want %s", tt.kind, tt.body, w.Seen.Last(), tt.want)
		}
	}
}

// TestChallengesAreAnswered verifies that a challenge is echoed only if the secret is right, and starts no run.
func TestChallengesAreAnswered(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	const path = "/v1/hooks/aut_1/secret"
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", path, `{"type":"url_verification","challenge":"abc","token":"x"}`, 200, "abc"},
		{"GET", path + "?hub.mode=subscribe&hub.challenge=123&hub.verify_token=x", "", 200, "123"},
		{"GET", path + "?challenge=xyz", "", 200, "xyz"},
		{"GET", path, "", 422, ""},
		{"GET", path + "?hub.challenge=123", "", 422, ""},
		{"GET", path + "?challenge=%3Cscript%3E+x", "", 422, ""},
		{"GET", "/v1/hooks/aut_1/wrong?challenge=xyz", "", 404, ""},
		{"GET", "/v1/hooks/aut_none/secret?challenge=xyz", "", 404, ""},
		{"POST", "/v1/hooks/aut_1/wrong", `{"type":"url_verification","challenge":"abc"}`, 404, ""},
	} {
		before := w.Seen.Count()
		got := c.Want(tt.status, tt.method, tt.path, tt.body)
		if tt.want != "" && (got.Text != tt.want || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain")) {
			t.Errorf("%s %s: %q as %s", tt.method, tt.path, got.Text, got.Header.Get("Content-Type"))
		}
		if w.Seen.Count() != before {
			t.Errorf("%s %s began a run", tt.method, tt.path)
		}
	}
}
