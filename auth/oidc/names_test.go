package oidc

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fermata-dev/fermata/domain"
)

// signText signs a payload as it is, and gives its compact and its JSON forms.
func (i *issuer) signText(payload string) *jose.JSONWebSignature {
	signer, err := jose.NewSigner(i.signer, nil)
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(payload))
	if err != nil {
		i.t.Fatal(err)
	}
	return signed
}

// TestClaimsByExactNames verifies that claims are matched by their exact names, so that an issuer that signs claims
// with names chosen by the user does not admit that user.
func TestClaimsByExactNames(t *testing.T) {
	for name, c := range map[string]struct{ claims, words string }{
		"aud, other case behind":       {`"iss":"ISS","sub":"ada","aud":"other","AUD":"fermata","exp":EXP`, "(aud)"},
		"aud, other case before":       {`"Aud":"fermata","iss":"ISS","sub":"ada","aud":"other","exp":EXP`, "(aud)"},
		"aud in another case only":     {`"iss":"ISS","sub":"ada","AUD":"fermata","exp":EXP`, "(aud)"},
		"iss":                          {`"iss":"http://evil.example","Iss":"ISS","sub":"ada","aud":"fermata","exp":EXP`, "issued by"},
		"iss with a letter that folds": {`"iss":"http://evil.example","is\u017f":"ISS","sub":"ada","aud":"fermata","exp":EXP`, "issued by"},
		"sub":                          {`"iss":"ISS","Sub":"ada","aud":"fermata","exp":EXP`, "(sub)"},
		"exp":                          {`"iss":"ISS","sub":"ada","aud":"fermata","Exp":EXP`, "(exp)"},
		"aud twice":                    {`"iss":"ISS","sub":"ada","aud":"other","aud":"fermata","exp":EXP`, "claims cannot be read"},
		"aud twice, once escaped":      {`"iss":"ISS","sub":"ada","aud":"other","a\u0075d":"fermata","exp":EXP`, "claims cannot be read"},
		"a claim within twice":         {`"iss":"ISS","sub":"ada","aud":"fermata","exp":EXP,"realm":{"roles":"viewer","roles":"admin"}`, "claims cannot be read"},
		"nbf in another case is none":  {`"iss":"ISS","sub":"ada","aud":"fermata","exp":EXP,"Nbf":EXP`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			text := strings.NewReplacer("ISS", i.url, "EXP", "1800003600").Replace("{" + c.claims + "}")
			token, err := i.signText(text).CompactSerialize()
			if err != nil {
				t.Fatal(err)
			}
			person, err := i.party().BearerPerson(t.Context(), token)
			if c.words == "" {
				if err != nil {
					t.Errorf("%v", err)
				}
				return
			}
			if refused(t, name, err, domain.CodeTokenInvalid, c.words); person != nil {
				t.Errorf("%+v was admitted", person)
			}
		})
	}
}

// A nonce of another case is no nonce, in a browser's sign-in.
func TestNonceByItsExactName(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.usual = map[string]any{"nonce": nil} })
	p := i.party()
	to, cookie, err := p.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	at := mustQuery(t, to)
	i.set(func() {
		claims, _ := json.Marshal(map[string]any{
			"iss": i.url, "sub": "ada", "aud": "fermata", "exp": i.now.Add(time.Hour).Unix(), "Nonce": at.Get("nonce"),
		})
		i.token, err = i.signText(string(claims)).CompactSerialize()
	})
	if err != nil {
		t.Fatal(err)
	}
	at.Set("code", "c")
	_, _, err = p.Finish(t.Context(), cookie, at)
	refused(t, "a nonce in another case", err, domain.CodeTokenInvalid, "(nonce)")
}

// ID tokens are compact: the JSON forms of a signature are not taken.
func TestTokensAreCompact(t *testing.T) {
	i := newIssuer(t)
	signed := i.signText(`{"iss":"` + i.url + `","sub":"ada","aud":"fermata","exp":1800003600}`)
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	p := i.party()
	if _, err := p.BearerPerson(t.Context(), compact); err != nil {
		t.Fatalf("compact: %v", err)
	}
	parts := strings.Split(compact, ".")
	for name, token := range map[string]string{
		"flattened": signed.FullSerialize(),
		"general":   `{"payload":"` + parts[1] + `","signatures":[{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}]}`,
		"detached":  parts[0] + ".." + parts[2],
	} {
		_, err := p.BearerPerson(t.Context(), token)
		refused(t, name, err, domain.CodeTokenInvalid, "refused")
	}
}

// What an issuer says of itself, and its keys, are read by exact names too.
func TestDescriptionsByExactNames(t *testing.T) {
	i := newIssuer(t)
	says := func(path, body string) {
		i.says = map[string]http.HandlerFunc{path: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }}
	}
	const at = "/.well-known/openid-configuration"
	for name, body := range map[string]string{
		"its name":       `{"Issuer":"URL","authorization_endpoint":"URL/a","token_endpoint":"URL/t","jwks_uri":"URL/keys"}`,
		"its keys":       `{"issuer":"URL","authorization_endpoint":"URL/a","token_endpoint":"URL/t","Jwks_uri":"URL/keys"}`,
		"a member twice": `{"issuer":"URL","authorization_endpoint":"URL/a","token_endpoint":"URL/t","jwks_uri":"URL/keys","jwks_uri":"URL/others"}`,
	} {
		i.set(func() { says(at, strings.ReplaceAll(body, "URL", i.url)) })
		_, err := i.party().Check(t.Context())
		refused(t, name, err, domain.CodeIssuerUnavailable, "")
	}
	i.set(func() { says("/keys", `{"Keys":[]}`) })
	_, err := i.party().Check(t.Context())
	refused(t, "keys in another case", err, domain.CodeIssuerUnavailable, "publishes no key")
}

func mustQuery(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{"state": {u.Query().Get("state")}, "nonce": {u.Query().Get("nonce")}}
}
