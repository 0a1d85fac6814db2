package doors

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// liar is an issuer that says what a test likes.
type liar struct {
	t   *testing.T
	url string
	key *rsa.PrivateKey

	mu     sync.Mutex
	nonce  string
	claims map[string]any   // of the next token, beside the honest ones
	signer *jose.SigningKey // nil: the honest one
	token  string           // in place of the next one
	status int              // of the next redemption; 0: well
	ahead  time.Duration    // its clock, of ours
	given  []string         // all tokens
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	l := &liar{t: t, key: key}
	srv := httptest.NewServer(l)
	t.Cleanup(srv.Close)
	l.url = srv.URL
	return l
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer = map[string]any{"issuer": l.url, "authorization_endpoint": l.url + "/auth", "token_endpoint": l.url + "/token", "jwks_uri": l.url + "/keys"}
	case "/keys":
		answer = map[string]any{"keys": []jose.JSONWebKey{{Key: l.key.Public(), KeyID: "one", Algorithm: "RS256", Use: "sig"}}}
	case "/token":
		l.mu.Lock()
		status, nonce := l.status, l.nonce
		l.mu.Unlock()
		if status != 0 {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, "<p>%s</p>%s", strings.Repeat("sorry ", 1<<17), r.Header.Get("Authorization"))
			return
		}
		answer = map[string]any{"access_token": "an-access-token-of-the-issuers", "token_type": "Bearer", "id_token": l.next(nonce)}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", time.Now().Add(l.ahead).UTC().Format(http.TimeFormat))
	_ = json.NewEncoder(w).Encode(answer)
}

// next is a token, with the lie of the moment.
func (l *liar) next(nonce string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != "" {
		return l.token
	}
	now := time.Now()
	claims := map[string]any{
		"iss": l.url, "sub": "ada", "aud": "fermata", "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "nonce": nonce, "name": "Ada",
		"groups": "member", "ws": "default",
	}
	maps.Copy(claims, l.claims)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	signer := l.signer
	if signer == nil {
		signer = &jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: l.key, KeyID: "one"}}
	}
	made, err := jose.NewSigner(*signer, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := made.Sign(body)
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		l.t.Fatal(err)
	}
	l.given = append(l.given, text)
	return text
}

// lieWith makes it lie from now on; nil: it is honest.
func (l *liar) lieWith(lie func(*liar)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims, l.signer, l.token, l.status = nil, nil, "", 0
	if lie != nil {
		lie(l)
	}
}

// written is a log that can be read while it is written.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// ofLiar is a server that trusts a liar, with what it logs. Its clock is off by as much as its caller says.
func ofLiar(t *testing.T, l *liar, db app.Database, off *atomic.Int64) (*server, *written) {
	t.Helper()
	log, address := &written{}, "127.0.0.1:"+freePort(t)
	return newServer(t, db, func(c *app.Config) {
		c.Listen, c.PublicURL, c.RootKey = address, "http://"+address, rootKey
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = l.url, "fermata", clientSecret
		c.OIDCRoleClaim, c.OIDCWorkspaceClaim = "groups", "ws"
		c.Rate.FailuresBurst = 100_000
		c.Log = zerolog.New(log).Level(zerolog.DebugLevel)
		c.TestHooks.Clock = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	}), log
}

const codeOfLiar = "a-code-of-the-issuers"

// through goes to the issuer and back with a browser, with changes to the query that it comes back with.
func (l *liar) through(b *browser, change func(url.Values)) (*http.Response, string) {
	l.t.Helper()
	follow := b.client.CheckRedirect
	defer func() { b.client.CheckRedirect = follow }()
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	begun, text := b.send("GET", b.s.URL+"/v1/sign-in/oidc", "")
	to, err := begun.Location()
	if err != nil {
		l.t.Fatalf("%d %s", begun.StatusCode, text)
	}
	l.mu.Lock()
	l.nonce = to.Query().Get("nonce")
	l.mu.Unlock()
	query := url.Values{"code": {codeOfLiar}, "state": {to.Query().Get("state")}}
	if change != nil {
		change(query)
	}
	return b.send("GET", b.s.URL+"/v1/sign-in/callback?"+query.Encode(), "")
}

// signIns is how many browsers are signed in.
func signIns(t *testing.T, db app.Database) (n int) {
	t.Helper()
	driver, at := "sqlite", "file:"+db.SQLitePath()
	if db.DatabaseURL != "" {
		driver, at = "postgres", db.DatabaseURL
	}
	file, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := file.QueryRowContext(t.Context(), "SELECT count(*) FROM sign_ins").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNothingIsLeftOfALie: an issuer that lies, and bearer tokens with each claim wrong, at the whole server: a clear
// answer, no cookie, no sign-in in the database, no secret and no token in the log; and honest sign-ins succeed.
func TestNothingIsLeftOfALie(t *testing.T) {
	claim := func(name string, value any) func(*liar) {
		return func(l *liar) { l.claims = map[string]any{name: value} }
	}
	another, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	type said struct {
		status      int
		code, words string
	}
	lies := map[string]struct {
		lie    func(*liar)
		comes  func(url.Values) // the browser
		said   said
		bearer *said // nil: the same; no status: it is no lie there
	}{
		"another issuer":           {lie: claim("iss", "https://evil.example"), said: said{401, "token_invalid", "issued by"}},
		"another audience":         {lie: claim("aud", "other"), said: said{401, "token_invalid", "(aud)"}},
		"no end":                   {lie: claim("exp", nil), said: said{401, "token_invalid", "(exp)"}},
		"an end that has passed":   {lie: claim("exp", at(-time.Hour)), said: said{401, "token_expired", "compare the clocks"}},
		"not yet":                  {lie: claim("nbf", at(time.Hour)), said: said{401, "token_not_yet_valid", "compare the clocks"}},
		"issued tomorrow":          {lie: claim("iat", at(24*time.Hour)), said: said{401, "token_not_yet_valid", "compare the clocks"}},
		"no subject":               {lie: claim("sub", nil), said: said{401, "token_invalid", "(sub)"}},
		"another nonce":            {lie: claim("nonce", "x"), said: said{401, "token_invalid", "(nonce)"}, bearer: &said{}},
		"no role":                  {lie: claim("groups", nil), said: said{403, "not_admitted", "groups"}},
		"an unknown workspace":     {lie: claim("ws", "nowhere"), said: said{403, "not_admitted", "ws"}},
		"no token":                 {lie: func(l *liar) { l.token = "a.b.c" }, said: said{401, "token_invalid", "no signed token"}},
		"no algorithm":             {lie: func(l *liar) { l.token = "eyJhbGciOiJub25lIn0.e30." }, said: said{401, "token_invalid", "its algorithm"}},
		"a key of the liar's":      {lie: signs(another, "one"), said: said{401, "token_invalid", "signature is not good"}},
		"a key that is not there":  {lie: signs(another, "two"), said: said{401, "token_invalid", "does not publish"}},
		"500 and what it was sent": {lie: func(l *liar) { l.status = 500 }, said: said{503, "issuer_unavailable", "cannot be used now"}, bearer: &said{}},
		"a code that was used":     {lie: func(l *liar) { l.status = 400 }, said: said{403, "sign_in_refused", "did not take the code"}, bearer: &said{}},
		"another state":            {comes: func(q url.Values) { q.Set("state", "x") }, said: said{403, "sign_in_lost", "sign in again"}, bearer: &said{}},
		"another issuer's answer":  {comes: func(q url.Values) { q.Set("iss", "https://evil.example") }, said: said{401, "token_invalid", "evil.example"}, bearer: &said{}},
		"an error":                 {comes: func(q url.Values) { q.Set("error", "access_denied") }, said: said{403, "sign_in_refused", "access_denied"}, bearer: &said{}},
	}
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		l := newLiar(t)
		s, log := ofLiar(t, l, db, &atomic.Int64{})
		for what, c := range lies {
			l.lieWith(c.lie)
			b := newBrowser(t, s)
			response, text := l.through(b, c.comes)
			if response.StatusCode != c.said.status || !strings.Contains(text, `"`+c.said.code+`"`) || !strings.Contains(text, c.said.words) {
				t.Errorf("%s: %d %s, want %+v", what, response.StatusCode, text, c.said)
			}
			if cookie := response.Header.Get("Set-Cookie"); strings.Contains(cookie, "fms_") {
				t.Errorf("%s: a cookie: %s", what, cookie)
			}
			b.me(401)
			if c.bearer == nil {
				got := s.Call("GET", "/v1/me", nil, bearer(l.next(""))...)
				if got.Problem(c.said.status, c.said.code); !strings.Contains(got.Str("detail"), c.said.words) {
					t.Errorf("%s: a bearer receives %s", what, got.Body)
				}
			}
		}
		if n := signIns(t, db); n != 0 {
			t.Errorf("%d browsers are signed in", n)
		}
		l.lieWith(nil)
		honest := newBrowser(t, s)
		if response, text := l.through(honest, nil); response.StatusCode != http.StatusSeeOther {
			t.Fatalf("an honest issuer: %d %s", response.StatusCode, text)
		}
		honest.me(200)
		s.Call("GET", "/v1/me", nil, bearer(l.next(""))...).Want(200)
		if n := signIns(t, db); n != 1 {
			t.Errorf("%d browsers are signed in", n)
		}
		l.leaked(log.String())
	})
}

func signs(key *rsa.PrivateKey, id string) func(*liar) {
	return func(l *liar) {
		l.signer = &jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: id}}
	}
}

// leaked searches a log for credentials.
func (l *liar) leaked(log string) {
	l.t.Helper()
	if !strings.Contains(log, "/v1/sign-in") && !strings.Contains(log, "signed in") {
		l.t.Errorf("nothing of the sign-ins is in the log: %s", log)
	}
	secrets := []string{clientSecret, url.QueryEscape(clientSecret), codeOfLiar, rootKey, "an-access-token-of-the-issuers", "fms_"}
	for _, token := range l.given {
		secrets = append(secrets, token[strings.LastIndexByte(token, '.')+1:])
	}
	for _, secret := range secrets {
		if at := strings.Index(log, secret); secret != "" && at >= 0 {
			l.t.Errorf("%s is in the log: …%.300s", secret, log[max(0, at-200):])
		}
	}
	for line := range strings.Lines(log) {
		if len(line) > 4_000 {
			l.t.Errorf("a line of %d bytes is in the log: %.300s", len(line), line)
		}
	}
}

// TestTheServersClockIsOff by ten minutes: the error names clocks as a likely cause, in either direction;
// who has signed in stays so; and all is well when the clock is.
func TestTheServersClockIsOff(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		l, off := newLiar(t), &atomic.Int64{}
		s, log := ofLiar(t, l, db, off)
		before := newBrowser(t, s)
		l.through(before, nil)
		before.me(200)
		chat := before.call("POST", "/v1/sessions", `{}`, 201)
		for by, code := range map[time.Duration]string{10 * time.Minute: "token_expired", -10 * time.Minute: "token_not_yet_valid"} {
			off.Store(int64(by))
			b := newBrowser(t, s)
			response, text := l.through(b, nil)
			if response.StatusCode != 401 || !strings.Contains(text, code) || !strings.Contains(text, "compare the clocks of this server and of the issuer") {
				t.Errorf("by %s: %d %s", by, response.StatusCode, text)
			}
			b.me(401)
			if got := s.Call("GET", "/v1/me", nil, bearer(l.next(""))...); !strings.Contains(got.Problem(401, code).Str("detail"), "compare the clocks") {
				t.Errorf("by %s: a bearer receives %s", by, got.Body)
			}
			before.me(200)
		}
		off.Store(0)
		b := newBrowser(t, s)
		if response, text := l.through(b, nil); response.StatusCode != http.StatusSeeOther {
			t.Errorf("a clock that is right: %d %s", response.StatusCode, text)
		}
		b.me(200)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(chat), &made); err != nil {
			t.Fatal(err)
		}
		before.call("GET", "/v1/sessions/"+made.ID, "", 200)
		l.leaked(log.String())
	})
}

// TestTheDoctorComparesClocks with the issuer, before anybody is refused.
func TestTheDoctorComparesClocks(t *testing.T) {
	for ahead, says := range map[time.Duration]string{
		0: "", 10 * time.Minute: "ahead of this machine's: its tokens may be rejected", -10 * time.Minute: "behind this machine's: its tokens may be rejected",
	} {
		l := newLiar(t)
		l.ahead = ahead
		s, _ := ofLiar(t, l, harness.Databases["sqlite"](t), &atomic.Int64{})
		received := ""
		for _, f := range app.Diagnose(t.Context(), s.Config, s.URL) {
			if f.Check == "issuer" && f.Level != diagnosis.LevelOK {
				received += f.Detail + " " + f.Fix
			}
		}
		if says == "" && received != "" || !strings.Contains(received, says) || says != "" && !strings.Contains(received, "NTP") {
			t.Errorf("%s: the doctor says %q", ahead, received)
		}
		s.Stop()
	}
}
