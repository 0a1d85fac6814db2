package oidc

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// refused holds an error to its code and to some of its words.
func refused(t *testing.T, what string, err error, code domain.Code, words string) {
	t.Helper()
	if domain.ErrorCode(err) != code || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v (%s), want %s with %q", what, err, domain.ErrorCode(err), code, words)
	}
}

func TestSignIn(t *testing.T) {
	i := newIssuer(t)
	p := i.party()
	person, err := i.signIn(p)
	if err != nil {
		t.Fatal(err)
	}
	if person.Name != "Ada" || person.Role != domain.RoleMember || fmt.Sprint(person.Workspaces) != "[default]" || !strings.HasPrefix(person.ID, "usr_") {
		t.Errorf("%+v", person)
	}
	again, err := i.signIn(p)
	if err != nil || again.ID != person.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	to, cookie, err := p.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	at, _ := url.Parse(to)
	sum := sha256.Sum256([]byte(derived("pkce", cookie)))
	if q := at.Query(); q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || q.Get("code_challenge_method") != "S256" ||
		q.Get("redirect_uri") != "https://fermata.example/v1/sign-in/callback" || q.Get("scope") != "openid" || q.Get("response_type") != "code" {
		t.Errorf("the question is %v", q)
	}
	for _, secret := range []string{"state", "nonce", "pkce"} {
		if strings.Contains(to, derived("pkce", cookie)) || strings.Contains(to, cookie) {
			t.Errorf("the address contains the %s's secret", secret)
		}
	}
	if i.verifier == "" {
		t.Error("the code was redeemed without its proof (PKCE)")
	}
}

// lie is what an issuer can do to a token, and what is said of it.
type lie struct {
	apply func(*issuer)
	code  domain.Code
	words string
}

func claim(name string, value any) func(*issuer) {
	return func(i *issuer) { i.claims = map[string]any{name: value} }
}

func claimAt(name string, after time.Duration) func(*issuer) {
	return func(i *issuer) { i.claims = map[string]any{name: i.now.Add(after).Unix()} }
}

// lies are tokens with a false or missing claim, sent by a browser's sign-in and as a bearer token.
func lies(t *testing.T) map[string]lie {
	t.Helper()
	public, err := x509.MarshalPKIXPublicKey(rsaKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	unsigned := func(i *issuer) {
		head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
		i.token = head + "." + strings.Split(i.idToken(i.nonce), ".")[1] + "."
	}
	signature := func(change func(string) string) func(*issuer) {
		return func(i *issuer) {
			parts := strings.Split(i.idToken(i.nonce), ".")
			i.token = parts[0] + "." + parts[1] + "." + change(parts[2])
		}
	}
	return map[string]lie{
		"another issuer":           {claim("iss", "https://evil.example"), domain.CodeTokenInvalid, `issued by "https://evil.example"`},
		"another audience":         {claim("aud", "other"), domain.CodeTokenInvalid, `it is for "other" (aud)`},
		"no audience":              {claim("aud", nil), domain.CodeTokenInvalid, "(aud)"},
		"no subject":               {claim("sub", ""), domain.CodeTokenInvalid, "(sub)"},
		"no end":                   {claim("exp", nil), domain.CodeTokenInvalid, "(exp)"},
		"an end that is a text":    {claim("exp", "tomorrow"), domain.CodeTokenInvalid, "claims cannot be read"},
		"expired":                  {claimAt("exp", -10*time.Minute), domain.CodeTokenExpired, "ended 10m0s ago"},
		"not yet valid":            {claimAt("nbf", 10*time.Minute), domain.CodeTokenEarly, "good in 10m0s only"},
		"from the future":          {claimAt("iat", 10*time.Minute), domain.CodeTokenEarly, "issued 10m0s in the future"},
		"unsigned":                 {unsigned, domain.CodeTokenInvalid, "its algorithm is not one"},
		"no token":                 {func(i *issuer) { i.token = "x" }, domain.CodeTokenInvalid, "no signed token"},
		"a megabyte":               {func(i *issuer) { i.token = strings.Repeat("x", 1<<19) + ".y.z" }, domain.CodeTokenInvalid, "longer than"},
		"the public key as secret": {func(i *issuer) { i.signWith(jose.HS256, secret, "one") }, domain.CodeTokenInvalid, "its algorithm is not one"},
		"another algorithm":        {func(i *issuer) { i.signWith(jose.RS512, rsaKey, "one") }, domain.CodeTokenInvalid, "not the one of the key"},
		"another one of its kind":  {func(i *issuer) { i.signWith(jose.PS256, rsaKey, "one") }, domain.CodeTokenInvalid, "not the one of the key"},
		"a key of the liar's":      {func(i *issuer) { i.signWith(jose.RS256, otherKey, "one") }, domain.CodeTokenInvalid, "signature is not good"},
		"a key that is not there":  {func(i *issuer) { i.signWith(jose.RS256, otherKey, "two") }, domain.CodeTokenInvalid, "does not publish"},
		"a key as a path":          {func(i *issuer) { i.signWith(jose.RS256, otherKey, "../../etc/passwd") }, domain.CodeTokenInvalid, "does not publish"},
		"a key that comes along":   {embedsKey, domain.CodeTokenInvalid, ""},
		"a key for encryption":     {func(i *issuer) { i.keys[0].Use = "enc" }, domain.CodeTokenInvalid, "not the one of the key"},
		"ten minutes ahead of us": {func(i *issuer) {
			i.claims = map[string]any{"iat": i.now.Add(10 * time.Minute).Unix(), "exp": i.now.Add(time.Hour).Unix()}
		}, domain.CodeTokenEarly, "compare the clocks"},
		"ten minutes behind us": {func(i *issuer) {
			i.claims = map[string]any{"iat": i.now.Add(-15 * time.Minute).Unix(), "exp": i.now.Add(-5 * time.Minute).Unix()}
		}, domain.CodeTokenExpired, "compare the clocks"},
		"keys that are none at all":  {func(i *issuer) { i.publish() }, domain.CodeTokenInvalid, "does not publish"},
		"no issuer":                  {claim("iss", nil), domain.CodeTokenInvalid, `issued by ""`},
		"an issuer with a slash":     {func(i *issuer) { i.claims = map[string]any{"iss": i.url + "/"} }, domain.CodeTokenInvalid, "issued by"},
		"no subject at all":          {claim("sub", nil), domain.CodeTokenInvalid, "(sub)"},
		"a subject that is long":     {claim("sub", strings.Repeat("a", 256)), domain.CodeTokenInvalid, "(sub)"},
		"a subject that is none":     {claim("sub", 7), domain.CodeTokenInvalid, "claims cannot be read"},
		"an audience that is none":   {claim("aud", 7), domain.CodeTokenInvalid, "claims cannot be read"},
		"an end before all time":     {claim("exp", -1), domain.CodeTokenInvalid, "claims cannot be read"},
		"an end after all time":      {claim("exp", 1e300), domain.CodeTokenInvalid, "claims cannot be read"},
		"a signature that is cut":    {signature(func(s string) string { return s[:len(s)/2] }), domain.CodeTokenInvalid, "signature is not good"},
		"no signature":               {signature(func(string) string { return "" }), domain.CodeTokenInvalid, "signature is not good"},
		"another's signature":        {signature(strings.ToLower), domain.CodeTokenInvalid, "signature is not good"},
		"a role that is none":        {claim("groups", "boss"), domain.CodeNotAdmitted, `claim "groups" says neither`},
		"no role":                    {claim("groups", nil), domain.CodeNotAdmitted, `claim "groups" says neither`},
		"a role that does not exist": {claim("groups", "root"), domain.CodeNotAdmitted, `claim "groups" says neither`},
		"a role as an object":        {claim("groups", map[string]any{"admin": true}), domain.CodeNotAdmitted, `claim "groups" says neither`},
		"an unknown workspace":       {claim("ws", "nowhere"), domain.CodeNotAdmitted, `claim "ws" names no workspace`},
		"no workspace":               {claim("ws", nil), domain.CodeNotAdmitted, `claim "ws" names no workspace`},
		"a workspace as a path":      {claim("ws", "../default"), domain.CodeNotAdmitted, `claim "ws" names no workspace`},
	}
}

// withRights is a party that goes by both claims, which the issuer's tokens have.
func withRights(i *issuer) *Party {
	i.usual = map[string]any{"groups": "member", "ws": "default"}
	return i.party(func(c *Config) { c.Rights = Rights{WorkspaceClaim: "ws", RoleClaim: "groups"} })
}

// TestAnIssuerThatLies verifies that the error states the problem with a token and that no access is granted, in a
// browser's sign-in and with a bearer token. No state remains: a valid token is accepted afterwards.
func TestAnIssuerThatLies(t *testing.T) {
	all := lies(t)
	inBrowser := map[string]lie{
		"several without azp":     {claim("aud", []string{"fermata", "other"}), domain.CodeTokenInvalid, "(azp)"},
		"given to another client": {claim("azp", "other"), domain.CodeTokenInvalid, "(azp)"},
		"another nonce":           {claim("nonce", "x"), domain.CodeTokenInvalid, "(nonce)"},
		"no nonce":                {claim("nonce", nil), domain.CodeTokenInvalid, "(nonce)"},
	}
	for what, c := range all {
		t.Run("bearer: "+what, func(t *testing.T) {
			i := newIssuer(t)
			p := withRights(i)
			i.set(func() { c.apply(i) })
			token := i.bearer()
			person, err := p.BearerPerson(t.Context(), token)
			if refused(t, what, err, c.code, c.words); person != nil {
				t.Errorf("%+v was admitted", person)
			}
			if parts := strings.Split(token, "."); len(parts) == 3 && len(parts[2]) > 20 && strings.Contains(err.Error(), parts[2]) {
				t.Errorf("the token is in the error: %v", err)
			}
			i.set(i.honest)
			if _, err := p.BearerPerson(t.Context(), i.bearer()); err != nil {
				t.Errorf("an honest token: %v", err)
			}
		})
	}
	maps.Copy(all, inBrowser)
	for what, c := range all {
		t.Run(what, func(t *testing.T) {
			i := newIssuer(t)
			p := withRights(i)
			person, err := i.signIn(p, func(url.Values) { i.set(func() { c.apply(i) }) })
			if refused(t, what, err, c.code, c.words); person != nil {
				t.Errorf("%+v was admitted", person)
			}
			i.set(i.honest)
			if _, err := i.signIn(p); err != nil {
				t.Errorf("an honest token: %v", err)
			}
		})
	}
}

// embedsKey signs with a key of its own that is in the token (jwk).
func embedsKey(i *issuer) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: otherKey}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(`{"iss":"` + i.url + `","sub":"ada","aud":"fermata","exp":1900000000}`))
	if err != nil {
		i.t.Fatal(err)
	}
	i.token, _ = signed.CompactSerialize()
}

// TestClocksAFewSecondsApart are no reason to refuse.
func TestClocksAFewSecondsApart(t *testing.T) {
	i := newIssuer(t)
	i.claims = map[string]any{"iat": i.now.Add(30 * time.Second).Unix(), "nbf": i.now.Add(30 * time.Second).Unix()}
	if _, err := i.signIn(i.party()); err != nil {
		t.Error(err)
	}
	i.claims = map[string]any{"exp": i.now.Add(-30 * time.Second).Unix()}
	if _, err := i.signIn(i.party()); err != nil {
		t.Error(err)
	}
}

// TestTheWayBack: what comes back in the address has to be what was begun here, just now, once.
func TestTheWayBack(t *testing.T) {
	i := newIssuer(t)
	p := i.party()
	set := func(name string, values ...string) func(url.Values) {
		return func(q url.Values) { q[name] = values }
	}
	_, err := i.signIn(p, set("state", "other"))
	refused(t, "another state", err, domain.CodeSignInLost, "not begun in this browser")
	_, err = i.signIn(p, func(q url.Values) { q["state"] = append(q["state"], "two") })
	refused(t, "two states", err, domain.CodeSignInLost, "not begun in this browser")
	_, err = i.signIn(p, set("code"))
	refused(t, "no code", err, domain.CodeSignInRefused, "no code")
	_, err = i.signIn(p, set("code", "a", "b"))
	refused(t, "two codes", err, domain.CodeSignInRefused, "no code")
	_, err = i.signIn(p, set("error", "access_denied"), set("error_description", "You may not.\r\nX: y"))
	refused(t, "an error", err, domain.CodeSignInRefused, "access_denied You may not.  X: y")
	_, err = i.signIn(p, set("iss", "https://evil.example"))
	refused(t, "another issuer's answer", err, domain.CodeTokenInvalid, "https://evil.example")
	_, err = i.signIn(p, func(url.Values) { i.set(func() { i.now = i.now.Add(11 * time.Minute) }) })
	refused(t, "too late", err, domain.CodeSignInLost, "longer than 10 minutes: 11m0s")
	for _, cookie := range []string{"", "x", "..", "a.b.c", strings.Repeat("x", 10_000), "\x00", "AAAA.1.AAAA"} {
		_, _, err = p.Finish(t.Context(), cookie, url.Values{"state": {derived("state", cookie)}, "code": {"c"}})
		refused(t, fmt.Sprintf("the cookie %.10q", cookie), err, domain.CodeSignInLost, "")
	}
}

// TestAClockThatErrs covers a clock that is set in the middle of a sign-in, and a sign-in that continues on another
// node whose clock differs. The error mentions the clocks wherever they may be the cause, and no valid sign-in is
// rejected.
func TestAClockThatErrs(t *testing.T) {
	sets := func(i *issuer, by time.Duration) func(url.Values) {
		return func(url.Values) { i.set(func() { i.now = i.now.Add(by) }) }
	}
	for _, c := range []struct {
		by    time.Duration
		code  domain.Code
		words string
	}{
		{-10 * time.Minute, domain.CodeSignInLost, "begins in 10m0s only, by this server's clock"},
		{-50 * time.Second, "", ""},
		{9 * time.Minute, "", ""},
		{10*time.Minute + time.Second, domain.CodeSignInLost, "10m1s, by this server's clock"},
	} {
		i := newIssuer(t)
		_, err := i.signIn(i.party(), sets(i, c.by))
		if c.code == "" {
			if err != nil {
				t.Errorf("by %s: %v", c.by, err)
			}
			continue
		}
		refused(t, c.by.String(), err, c.code, c.words)
		refused(t, c.by.String(), err, c.code, "compare the clocks")
	}

	// The issuer's tokens are good for five minutes, and the clock of this server is ten minutes off.
	for by, code := range map[time.Duration]domain.Code{-10 * time.Minute: domain.CodeTokenEarly, 10 * time.Minute: domain.CodeTokenExpired, 0: ""} {
		i := newIssuer(t)
		p := i.party(func(c *Config) { c.Clock = func() time.Time { return i.clock().Add(by) } })
		i.claims = map[string]any{"exp": i.now.Add(5 * time.Minute).Unix()}
		_, signedIn := i.signIn(p)
		_, came := p.BearerPerson(t.Context(), i.bearer())
		for what, err := range map[string]error{"sign-in": signedIn, "bearer": came} {
			if code != "" {
				refused(t, fmt.Sprint(what, by), err, code, "by this server's clock (")
				refused(t, fmt.Sprint(what, by), err, code, "compare the clocks of this server and of the issuer")
			} else if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestAnIssuerThatIsDown: it says so, and works again when the issuer does, a little later. Who
// comes meanwhile does not hammer it.
func TestAnIssuerThatIsDown(t *testing.T) {
	i := newIssuer(t)
	p := i.party()
	i.set(func() { i.broken = http.StatusBadGateway })
	for range 20 {
		_, err := i.signIn(p)
		refused(t, "down", err, domain.CodeIssuerUnavailable, "cannot be used now")
	}
	if n := i.asked["/.well-known/openid-configuration"]; n != 1 {
		t.Errorf("asked %d times", n)
	}
	i.set(func() { i.broken, i.now = 0, i.now.Add(askAgain) })
	if _, err := i.signIn(p); err != nil {
		t.Error(err)
	}
	// What is cached about the issuer is still used while it is down again, but the error code is that of the
	// issuer.
	i.set(func() { i.broken, i.now = http.StatusBadGateway, i.now.Add(2*time.Hour) })
	_, err := i.signIn(p)
	refused(t, "down again", err, domain.CodeIssuerUnavailable, "answers with an error")

	gone := i.party(func(c *Config) { c.Issuer = "http://127.0.0.1:1" })
	_, err = i.signIn(gone)
	refused(t, "no listener", err, domain.CodeIssuerUnavailable, "connection refused")
	private := i.party(func(c *Config) { c.Client = egress.NewClient(egress.Config{}) })
	_, err = i.signIn(private)
	refused(t, "a private host that is not configured", err, domain.CodeIssuerUnavailable, "not allowed")
}

// TestWhatAnIssuerSaysOfItself is not believed when it cannot be.
func TestWhatAnIssuerSaysOfItself(t *testing.T) {
	for words, described := range map[string]map[string]any{
		"it calls itself":    {"issuer": "https://evil.example"},
		"what it says":       {"jwks_uri": ""},
		"what it says of it": {"token_endpoint": "file:///etc/passwd"},
		"/.well-known/":      {"authorization_endpoint": "javascript:alert(1)"},
	} {
		i := newIssuer(t)
		i.described = described
		_, err := i.signIn(i.party())
		refused(t, words, err, domain.CodeIssuerUnavailable, words)
	}
	d := &discovery{issuer: "https://issuer.example"}
	if d.checkAddress("http://issuer.example/token") == nil || d.checkAddress("https://issuer.example/token?a=b") != nil {
		t.Error("a secret may go over an open line, or not over a closed one")
	}
}

// TestKeysRotate: a new key is found with its first token; keys that are made up do not make
// this server ask and ask.
func TestKeysRotate(t *testing.T) {
	i := newIssuer(t)
	p := i.party()
	if _, err := p.BearerPerson(t.Context(), i.bearer()); err != nil {
		t.Fatal(err)
	}
	i.set(func() { i.now = i.now.Add(askSeldom) })
	key := ecKey(t)
	old := i.bearer()
	i.set(func() {
		i.publish(jose.JSONWebKey{Key: key.Public(), KeyID: "two", Algorithm: "ES256"})
		i.signWith(jose.ES256, key, "two")
	})
	if _, err := p.BearerPerson(t.Context(), i.bearer()); err != nil {
		t.Errorf("the new key: %v", err)
	}
	_, err := p.BearerPerson(t.Context(), old)
	refused(t, "the old key", err, domain.CodeTokenInvalid, "does not publish")

	asked := i.asked["/keys"]
	var all sync.WaitGroup
	for n := range 200 {
		i.set(func() { i.signWith(jose.ES256, key, fmt.Sprint("made-up-", n)) })
		token := i.bearer()
		all.Go(func() {
			_, err := p.BearerPerson(t.Context(), token)
			refused(t, "a key that is made up", err, domain.CodeTokenInvalid, "does not publish")
		})
	}
	all.Wait()
	if n := i.asked["/keys"] - asked; n > 1 {
		t.Errorf("asked %d times for keys that are made up", n)
	}
	// Keys that cannot be asked for again are used on, for a day.
	i.set(func() { i.signWith(jose.ES256, key, "two"); i.broken, i.now = 500, i.now.Add(time.Hour) })
	if _, err := p.BearerPerson(t.Context(), i.bearer()); err != nil {
		t.Errorf("while the issuer is down: %v", err)
	}
	i.set(func() { i.now = i.now.Add(longest) })
	_, err = p.BearerPerson(t.Context(), i.bearer())
	refused(t, "a day later", err, domain.CodeIssuerUnavailable, "")
}

// TestBearers: a token is taken for the audience that the operator says, and for no other: an ID
// token of another client of the same issuer opens nothing here.
func TestBearers(t *testing.T) {
	i := newIssuer(t)
	p := i.party(func(c *Config) { c.Audience = "https://api.example" })
	_, err := p.BearerPerson(t.Context(), i.bearer())
	refused(t, "an ID token", err, domain.CodeTokenInvalid, `for "fermata" (aud)`)
	i.claims = map[string]any{"aud": []string{"https://api.example", "other"}}
	if _, err := p.BearerPerson(t.Context(), i.bearer()); err != nil {
		t.Error(err)
	}
	i.claims = map[string]any{"aud": "other"}
	_, err = i.party().BearerPerson(t.Context(), i.bearer())
	refused(t, "another client's", err, domain.CodeTokenInvalid, `for "other" (aud)`)
	i.claims = map[string]any{"exp": i.now.Add(-time.Hour).Unix()}
	_, err = i.party().BearerPerson(t.Context(), i.bearer())
	refused(t, "an old one", err, domain.CodeTokenExpired, "1h0m0s ago")
}

// TestRights: who may do what, and where.
func TestRights(t *testing.T) {
	roles, err := ParseRoles([]string{"ops=admin", " staff = member ", "a=b=viewer"})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"ops", "=admin", "ops=root", "ops=boss"} {
		if _, err := ParseRoles([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, c := range []struct {
		claims     map[string]any
		role       domain.Role
		workspaces string
	}{
		{map[string]any{"groups": []any{"staff", "ops", 7}, "ws": "acme"}, domain.RoleAdmin, "[acme]"},
		{map[string]any{"groups": "staff", "ws": []string{"acme", "nowhere", "default", "../x"}}, domain.RoleMember, "[acme default]"},
		{map[string]any{"groups": "viewer", "ws": "default"}, domain.RoleViewer, "[default]"},
		{map[string]any{"groups": "a=b", "ws": "default"}, domain.RoleViewer, "[default]"},
		{map[string]any{"groups": "root", "ws": "default"}, "", ""},
		{map[string]any{"groups": []string{}, "ws": "default"}, "", ""},
		{map[string]any{"ws": "default"}, "", ""},
		{map[string]any{"groups": "ops", "ws": "nowhere"}, "", ""},
		{map[string]any{"groups": "ops", "ws": ""}, "", ""},
		{map[string]any{"groups": "ops"}, "", ""},
	} {
		i := newIssuer(t)
		i.claims = c.claims
		person, err := i.signIn(i.party(func(o *Config) { o.Rights = Rights{WorkspaceClaim: "ws", RoleClaim: "groups", Roles: roles} }))
		if c.role == "" {
			refused(t, fmt.Sprint(c.claims), err, domain.CodeNotAdmitted, "")
		} else if err != nil || person.Role != c.role || fmt.Sprint(person.Workspaces) != c.workspaces {
			t.Errorf("%v: %+v, %v", c.claims, person, err)
		}
	}
	nested := []byte(`{"a.b":"flat","realm":{"roles":["x","y"]},"n":{"o":{"p":"q"}}}`)
	for name, want := range map[string]string{"a.b": "[flat]", "realm.roles": "[x y]", "n.o.p": "[q]", "n.o": "[]", "none.x": "[]", "realm": "[]"} {
		if got := fmt.Sprint(valuesOf(nested, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
