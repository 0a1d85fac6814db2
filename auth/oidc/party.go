package oidc

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// BeginsFor is the time for signing in at the issuer.
const BeginsFor = 10 * time.Minute

// Party is the OpenID Connect client (relying party) of this server.
type Party struct {
	config   Config
	client   *http.Client
	provided kept[*provider]
	used     usedStates
}

// New makes one. The issuer is first requested when it is needed, so that the server starts also while the issuer is
// down.
func New(c Config) *Party {
	client := egress.Wrap(c.Client, func(inner http.RoundTripper) http.RoundTripper { return bounded{inner} })
	if len(c.CookieKeys) == 0 {
		c.CookieKeys = [][]byte{[]byte(rand.Text())}
	}
	d := &discovery{issuer: c.Issuer, client: client, clock: c.Clock}
	return &Party{
		config: c, client: client,
		provided: kept[*provider]{clock: c.Clock, fresh: describedFor, ask: d.ask},
		used:     usedStates{clock: c.Clock, until: map[string]time.Time{}},
	}
}

// Issuer is the issuer's name.
func (p *Party) Issuer() string { return p.config.Issuer }

// Check says whether the issuer can be used now, and how far its clock is ahead of ours, where that is so
// much that its tokens may be refused.
func (p *Party) Check(ctx context.Context) (ahead time.Duration, err error) {
	found, err := p.provider(ctx)
	if err != nil {
		return 0, err
	}
	keys, err := found.keys.find(ctx, "")
	if err != nil {
		return 0, p.unverified("", fmt.Errorf("%w: %w", errKeys, err))
	}
	if len(keys) == 0 {
		return 0, domain.Errorf(domain.CodeIssuerUnavailable, "The issuer %s publishes no key that a signature can be checked with.",
			p.config.Issuer)
	}
	if ahead = time.Duration(found.keys.ahead.Load()).Round(time.Second); ahead.Abs() <= leeway {
		ahead = 0
	}
	return ahead, nil
}

func (p *Party) provider(ctx context.Context) (*provider, error) {
	return p.provided.get(ctx, func(*provider) bool { return true })
}

func (p *Party) oauth(to *provider) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if to.post || p.config.ClientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, RedirectURL: p.config.RedirectURL,
		Scopes:   append([]string{"openid"}, p.config.Scopes...),
		Endpoint: oauth2.Endpoint{AuthURL: to.authURL, TokenURL: to.tokenURL, AuthStyle: style},
	}
}

// Begin begins a sign-in: it returns the issuer's address and the cookie for the browser. state, nonce and the PKCE
// verifier are derived from the cookie, so that only that browser can finish the sign-in.
func (p *Party) Begin(ctx context.Context, returnTo string) (to, cookie string, err error) {
	found, err := p.provider(ctx)
	if err != nil {
		return "", "", err
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // ends the program rather than fail
	cookie = strings.Join([]string{
		base64.RawURLEncoding.EncodeToString(raw),
		strconv.FormatInt(p.config.Clock().Unix(), 36),
		base64.RawURLEncoding.EncodeToString([]byte(returnTo)),
	}, ".")
	cookie += "." + base64.RawURLEncoding.EncodeToString(signature(p.config.CookieKeys[0], cookie))
	return p.oauth(found).AuthCodeURL(derived("state", cookie), oauth2.SetAuthURLParam("nonce", derived("nonce", cookie)),
		oauth2.S256ChallengeOption(derived("pkce", cookie))), cookie, nil
}

// signature proves that this server issued a cookie. Without it, invented cookies could make this server send requests
// to the issuer, with its own secret.
func signature(key []byte, cookie string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("fermata sign-in cookie\n" + cookie)) // a hash takes anything
	return mac.Sum(nil)
}

// signed reports whether this server, or another of its nodes, issued a cookie.
func (p *Party) signed(cookie string) bool {
	cut := strings.LastIndexByte(cookie, '.')
	if cut < 0 {
		return false
	}
	given, err := base64.RawURLEncoding.DecodeString(cookie[cut+1:])
	return err == nil && slices.ContainsFunc(p.config.CookieKeys, func(key []byte) bool {
		return hmac.Equal(given, signature(key, cookie[:cut]))
	})
}

// derived is a value that only the cookie's bearer can have made.
func derived(use, cookie string) string {
	sum := sha256.Sum256([]byte("fermata sign-in " + use + "\n" + cookie))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Finish ends what Begin began: query is what the issuer sent the browser back with.
func (p *Party) Finish(ctx context.Context, cookie string, query url.Values) (person *people.IssuerPerson, returnTo string, err error) {
	begun, returnTo, ok := opened(cookie)
	if !ok || !p.signed(cookie) || query.Get("state") != derived("state", cookie) || len(query["state"]) != 1 {
		return nil, "", domain.Errorf(domain.CodeSignInLost,
			"This sign-in was not begun in this browser, or it has ended. Nothing was done: sign in again.")
	}
	if err := p.inTime(begun); err != nil {
		return nil, returnTo, err
	}
	if !p.used.first(query.Get("state")) {
		return nil, returnTo, domain.Errorf(domain.CodeSignInLost, "This sign-in was ended before. Nothing was done: sign in again.")
	}
	found, err := p.provider(ctx)
	if err != nil {
		return nil, returnTo, err
	}
	if err := p.checkAnswer(found, query); err != nil {
		return nil, returnTo, err
	}
	person, err = p.redeem(ctx, found, cookie, query.Get("code"))
	return person, returnTo, err
}

// inTime returns an error if a sign-in took too long, or ended before it began: the clocks of two nodes may differ, or
// one was set in the meantime.
func (p *Party) inTime(begun time.Time) error {
	now := p.config.Clock()
	at, age := now.UTC().Format(time.RFC3339), now.Sub(begun).Round(time.Second)
	switch {
	case age < -leeway:
		return domain.Errorf(domain.CodeSignInLost, "This sign-in begins in %s only, by this server's clock (%s). Nothing was done: sign in again; "+
			"if that does not help, compare the clocks of this server's nodes.", -age, at)
	case age > BeginsFor:
		return domain.Errorf(domain.CodeSignInLost, "This sign-in took longer than %d minutes: %s, by this server's clock (%s). Nothing was done: "+
			"sign in again; if it did not take so long, compare the clocks of this server's nodes.", int(BeginsFor.Minutes()), age, at)
	}
	return nil
}

func opened(cookie string) (begun time.Time, returnTo string, ok bool) {
	parts := strings.Split(cookie, ".")
	if len(parts) != 4 { // the last one is the signature
		return time.Time{}, "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[0])
	at, wrong := strconv.ParseInt(parts[1], 36, 64)
	to, bad := base64.RawURLEncoding.DecodeString(parts[2])
	return time.Unix(at, 0), string(to), err == nil && wrong == nil && bad == nil && len(raw) == 32
}

// checkAnswer looks at what came back in the address: from whom, and whether it is a code.
func (p *Party) checkAnswer(found *provider, query url.Values) error {
	if iss := query.Get("iss"); iss != p.config.Issuer && (iss != "" || found.iss) {
		return domain.Errorf(domain.CodeTokenInvalid, "The answer is from the issuer %q, and the question went to %q. Nothing was done.",
			cut(iss), p.config.Issuer)
	}
	if code := query.Get("error"); code != "" {
		return domain.Errorf(domain.CodeSignInRefused, "The issuer refused: %s. Nothing was done.",
			strings.TrimSuffix(strings.TrimSpace(cut(code)+" "+cut(query.Get("error_description"))), "."))
	}
	if query.Get("code") == "" || len(query["code"]) != 1 {
		return domain.Errorf(domain.CodeSignInRefused, "The issuer sent no code. Nothing was done: sign in again.")
	}
	return nil
}

// redeem takes the code to the issuer for the token that says who it is.
func (p *Party) redeem(ctx context.Context, found *provider, cookie, code string) (*people.IssuerPerson, error) {
	within, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, p.client), answersWithin)
	defer cancel()
	proof := derived("pkce", cookie)
	tokens, err := p.oauth(found).Exchange(within, code, oauth2.VerifierOption(proof))
	if err != nil {
		return nil, p.notRedeemed(outOfTime(within, err), hiding(p.config.ClientSecret, code, proof))
	}
	text, ok := tokens.Extra("id_token").(string)
	if !ok {
		return nil, invalid("the issuer's response has no ID token")
	}
	c, err := p.verify(ctx, found.keys, text, p.config.ClientID)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Nonce != derived("nonce", cookie):
		return nil, invalid("it was not made for this sign-in (nonce)")
	case c.Party != "" && c.Party != p.config.ClientID, c.Party == "" && len(c.Audience) > 1:
		return nil, invalid("it was given to another client (azp)")
	}
	return p.admit(ctx, c)
}

// notRedeemed converts an error of the token request: the issuer refused, or cannot be reached. Its response may quote
// the request's secrets; hide removes them.
func (p *Party) notRedeemed(err error, hide func(string) string) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || refused.Response == nil {
		return p.notNow(err, hide, "it answers with an error")
	}
	why := refused.ErrorCode
	if why == "" {
		var said struct {
			Error string `json:"error"`
		}
		_ = exactjson.Lenient(refused.Body, &said) // a body that is not JSON is ignored
		why = said.Error
	}
	// The library's own error contains the whole response.
	err = fmt.Errorf("it answered the code with %s (%s: %s)", cut(refused.Response.Status), cut(why), cut(refused.ErrorDescription))
	if refused.Response.StatusCode >= http.StatusInternalServerError {
		return p.notNow(err, hide, "it answers with an error")
	}
	hint := ""
	if why == "invalid_client" {
		hint = " The operator should look at FERMATA_OIDC_CLIENT_ID and FERMATA_OIDC_CLIENT_SECRET."
	}
	return &domain.Error{
		Code:    domain.CodeSignInRefused,
		Message: fmt.Sprintf("The issuer did not take the code (%s). Nothing was done: sign in again.%s", hide(cut(why)), hint), Err: short(err, hide),
	}
}

func (p *Party) notNow(err error, hide func(string) string, said string) error {
	if reason := egress.ReasonOf(err); reason != egress.ReasonNone {
		said = string(reason)
	}
	return &domain.Error{
		Code:    domain.CodeIssuerUnavailable,
		Message: "The issuer " + p.config.Issuer + " cannot be used now: " + said + ". Nothing was done: sign in again in a moment.",
		Err:     short(err, hide),
	}
}

// Diagnose queries the OpenID Connect issuer, for `fermata doctor`.
func (p *Party) Diagnose(ctx context.Context) []diagnosis.Finding {
	const fix = "Check the issuer and FERMATA_OIDC_ISSUER, which must match the issuer's own name exactly."
	ahead, err := p.Check(ctx)
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("issuer", inWords(err), fix)}
	}
	findings := []diagnosis.Finding{diagnosis.OK("issuer",
		p.config.Issuer+" responds and publishes its keys; register the redirect URI "+p.config.RedirectURL+" there")}
	if ahead != 0 {
		way := "ahead of"
		if ahead < 0 {
			way = "behind"
		}
		findings = append(findings, diagnosis.Warning("issuer", fmt.Sprintf("its clock is %s %s this machine's: its tokens may be rejected as too early or too late",
			ahead.Abs(), way), "Synchronise both clocks by NTP; a difference of one minute is tolerated."))
	}
	if p.config.Rights.RoleClaim == "" {
		findings = append(findings, diagnosis.Warning("issuer", "everyone who can sign in there is a member here",
			"Set FERMATA_OIDC_ROLE_CLAIM to the claim that holds a person's role."))
	}
	return findings
}

// inWords returns an error's message for people, without its code.
func inWords(err error) string {
	e, ok := errors.AsType[*domain.Error](err)
	switch {
	case !ok:
		return err.Error()
	case e.Err != nil:
		return e.Message + " (" + e.Err.Error() + ")"
	}
	return e.Message
}
