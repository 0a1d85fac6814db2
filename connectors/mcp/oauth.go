package mcp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// OAuth is a person's sign-in to one server: the code flow with PKCE, and the tokens that
// came of it. Whoever holds it stores its Grant, sealed.
type OAuth struct {
	OAuthConfig

	refreshing chan struct{} // holds a token while nobody refreshes
	tokens     cachedTokens
}

// OAuthConfig is what a sign-in is made with.
type OAuthConfig struct {
	// URL is the server's, as the connector has it. Tokens are for it alone.
	URL    string
	Client *http.Client
	Store  GrantStore
	// Name is ours, for the page on which a person agrees.
	Name string
	// MetadataURL is where we describe ourselves (Client ID Metadata Document); empty: we
	// register where that is offered.
	MetadataURL string
	// ClientID and ClientSecret are of a client that was registered by hand.
	ClientID, ClientSecret string
	// Issuer is the authorization server that they are of: no other is shown them. "": any is
	// shown the id, and none the secret.
	Issuer string
}

// NewOAuth makes it ready; nothing is asked yet.
func NewOAuth(config OAuthConfig) *OAuth {
	o := &OAuth{OAuthConfig: config, refreshing: make(chan struct{}, 1)}
	o.refreshing <- struct{}{}
	return o
}

// GrantStore keeps a grant where every node finds it. It holds secrets.
type GrantStore interface {
	Load(ctx context.Context) (Grant, error)
	// Save is for what was loaded and changed since, and counts its version up;
	// domain.ErrStale where somebody else was faster. It ends a claim.
	Save(ctx context.Context, grant Grant) error
	// Claim gives one of many the right to renew what they loaded, for a while.
	Claim(ctx context.Context, grant Grant, within time.Duration) (bool, error)
}

// Grant is what is known of a sign-in.
type Grant struct {
	Resource string `json:"resource,omitempty"` // what the tokens are for
	Issuer   string `json:"issuer,omitempty"`
	Endpoint string `json:"token_endpoint,omitempty"`
	Client   Client `json:"client,omitzero"`
	Scope    string `json:"scope,omitempty"` // of the tokens, as it was asked for

	Access  string    `json:"access_token,omitempty"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expires time.Time `json:"expires,omitzero"`

	// Wanted is the scope that a server said was missing; the next sign-in asks for it too.
	Wanted string `json:"wanted,omitempty"`
	// Begun is a sign-in that a person has not finished.
	Begun *Begun `json:"begun,omitempty"`

	// Version is that of the row, as it was loaded.
	Version int64 `json:"-"`
}

// Client is who we are to one authorization server.
type Client struct {
	ID     string `json:"id,omitempty"`
	Secret string `json:"secret,omitempty"`
	Method string `json:"method,omitempty"` // of its authentication
	Issuer string `json:"issuer,omitempty"` // it is never shown to another
	// Redirect is what it was registered with.
	Redirect string `json:"redirect,omitempty"`
}

// Begun is what a sign-in needs to be finished, on whatever node.
type Begun struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Redirect string    `json:"redirect"`
	Resource string    `json:"resource"`
	Issuer   string    `json:"issuer"`
	Endpoint string    `json:"token_endpoint"`
	Client   Client    `json:"client"`
	Scope    string    `json:"scope,omitempty"`
	NamesIss bool      `json:"names_iss,omitempty"` // the server says who it is in its answer
	Until    time.Time `json:"until"`
}

// signInTime is how long a person has to finish.
const signInTime = 15 * time.Minute

// ErrSignIn: what a person tried to finish is not what was begun, or took too long.
var ErrSignIn = connectors.ErrSignInOver

// maxStale is how often a grant is changed anew because somebody else was faster.
const maxStale = 10

// change stores what change makes of the grant as it is.
func (o *OAuth) change(ctx context.Context, change func(*Grant) error) (Grant, error) {
	for try := 1; ; try++ {
		grant, err := o.Store.Load(ctx)
		if err != nil {
			return Grant{}, fmt.Errorf("load the sign-in: %w", err)
		}
		if err := change(&grant); err != nil {
			return grant, err
		}
		err = o.Store.Save(ctx, grant)
		switch {
		case err == nil:
			grant.Version++
			return grant, nil
		case !errors.Is(err, domain.ErrStale) || try == maxStale:
			return grant, fmt.Errorf("store the sign-in: %w", err)
		}
	}
}

// Begin finds out where a person signs in, makes us known there, and gives the address to
// visit. State comes back with the answer (Finish); it begins with what is given.
func (o *OAuth) Begin(ctx context.Context, redirect, with string) (address, state string, err error) {
	grant, err := o.Store.Load(ctx)
	if err != nil {
		return "", "", fmt.Errorf("load the sign-in: %w", err)
	}
	found, err := o.discover(ctx)
	if err != nil {
		return "", "", err
	}
	client, err := o.register(ctx, found.server, grant.Client, redirect)
	if err != nil {
		return "", "", err
	}
	scope := found.scope
	if grant.Issuer == "" || sameIssuer(grant.Issuer, found.server.Issuer) {
		scope = union(grant.Scope, found.scope, grant.Wanted)
	}
	if contains(found.server.ScopesSupported, "offline_access") {
		scope = union(scope, "offline_access")
	}
	begun := &Begun{
		State: with + rand.Text(), Verifier: oauth2.GenerateVerifier(), Redirect: redirect,
		Resource: found.resource, Issuer: found.server.Issuer, Endpoint: found.server.TokenEndpoint,
		Client: client, Scope: scope, NamesIss: found.server.AuthorizationResponseIssParameterSupported,
		Until: clock.System().Add(signInTime),
	}
	if address, err = begun.address(found.server.AuthorizationEndpoint); err != nil {
		return "", "", err
	}
	_, err = o.change(ctx, func(grant *Grant) error {
		grant.Begun, grant.Client = begun, client
		return nil
	})
	return address, begun.State, err
}

// address is where the person goes. Nothing secret is in it.
func (b *Begun) address(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return "", cannot("the authorization server names no page to sign in on", nil)
	}
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": b.Client.ID, "redirect_uri": b.Redirect, "state": b.State, "resource": b.Resource,
		"code_challenge": oauth2.S256ChallengeFromVerifier(b.Verifier), "code_challenge_method": "S256", "scope": b.Scope,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Finish takes the code that the person came back with, once: of many who bring the same
// state, on whatever node, one goes on. Iss is who the answer says it is from; empty: it
// says nothing.
func (o *OAuth) Finish(ctx context.Context, code, state, iss string) error {
	var b *Begun
	_, err := o.change(ctx, func(grant *Grant) error {
		b = grant.Begun
		grant.Begun = nil
		return b.check(state, iss)
	})
	if err != nil {
		return err
	}
	token, err := b.Client.config(b.Endpoint, b.Redirect).Exchange(o.with(ctx), code,
		oauth2.VerifierOption(b.Verifier), oauth2.SetAuthURLParam("resource", b.Resource))
	if err != nil {
		return fmt.Errorf("the authorization server did not take the code: %w", ofToken(err))
	}
	fresh, err := o.change(ctx, func(grant *Grant) error {
		*grant = Grant{
			Resource: o.URL, Issuer: b.Issuer, Endpoint: b.Endpoint, Client: b.Client, Scope: b.Scope,
			Begun: grant.Begun, Version: grant.Version,
		}
		grant.take(token)
		return nil
	})
	if err == nil {
		o.tokens.set(fresh)
	}
	return err
}

// check holds what a person came back with against what was begun.
func (b *Begun) check(state, iss string) error {
	switch {
	case b == nil || subtle.ConstantTimeCompare([]byte(b.State), []byte(state)) != 1 || clock.System().After(b.Until):
		return ErrSignIn
	case (b.NamesIss || iss != "") && iss != b.Issuer:
		return fmt.Errorf("%w: the answer is another server's", ErrSignIn)
	case !b.NamesIss && iss != "":
		return fmt.Errorf("%w: the server says who it is, and did not say that it would", ErrSignIn)
	}
	return nil
}

// Abandon ends a sign-in that the person, or the other server, did not want.
func (o *OAuth) Abandon(ctx context.Context, state string) error {
	_, err := o.change(ctx, func(grant *Grant) error {
		b := grant.Begun
		grant.Begun = nil
		if b == nil || subtle.ConstantTimeCompare([]byte(b.State), []byte(state)) != 1 {
			return ErrSignIn
		}
		return nil
	})
	return err
}

// take keeps a token. A server that rotates gives a new refresh token with each.
func (g *Grant) take(token *oauth2.Token) {
	g.Access, g.Expires = token.AccessToken, token.Expiry.UTC()
	if token.RefreshToken != "" {
		g.Refresh = token.RefreshToken
	}
	if scope, ok := token.Extra("scope").(string); ok && scope != "" {
		g.Scope = scope
	}
}

func (c Client) config(endpoint, redirect string) *oauth2.Config {
	style := oauth2.AuthStyleInHeader // what is left out means this (RFC 7591)
	switch c.Method {
	case "client_secret_post", "none":
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: c.ID, ClientSecret: c.Secret, RedirectURL: redirect,
		Endpoint: oauth2.Endpoint{TokenURL: endpoint, AuthStyle: style},
	}
}

func (o *OAuth) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, o.Client)
}

// ofToken keeps what an authorization server answered out of messages: its codes say enough.
func ofToken(err error) error {
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := 0
		if e.Response != nil {
			status = e.Response.StatusCode
		}
		return &tokenError{status: status, code: cut(e.ErrorCode, MaxNameBytes)}
	}
	return err
}

type tokenError struct {
	status int
	code   string
}

// Error names the status and the code.
func (e *tokenError) Error() string { return fmt.Sprintf("status %d %s", e.status, e.code) }

// register makes us known: by a document of ours, by hand, or where clients register
// themselves. A client is only ever shown to the server that it is of.
func (o *OAuth) register(ctx context.Context, server *oauthex.AuthServerMeta, known Client, redirect string) (Client, error) {
	switch {
	case o.Issuer != "" && !sameIssuer(o.Issuer, server.Issuer):
		return Client{}, cannot("the server names another authorization server than the issuer in the connector's config", nil)
	case o.MetadataURL != "" && server.ClientIDMetadataDocumentSupported:
		return Client{ID: o.MetadataURL, Method: "none", Issuer: server.Issuer, Redirect: redirect}, nil
	case o.ClientID != "":
		return Client{ID: o.ClientID, Secret: o.ClientSecret, Method: methodOf(server, o.ClientSecret), Issuer: server.Issuer}, nil
	case known.ID != "" && sameIssuer(known.Issuer, server.Issuer) && known.Redirect == redirect:
		return known, nil
	case server.RegistrationEndpoint == "":
		return Client{}, cannot("the authorization server does not let clients register: enter a client_id, and its issuer", nil)
	}
	made, err := oauthex.RegisterClient(ctx, server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: o.Name, RedirectURIs: []string{redirect}, ApplicationType: applicationType(redirect),
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		TokenEndpointAuthMethod: wantedMethod(server),
	}, o.Client)
	if err != nil {
		return Client{}, o.askedInVain(err, "the authorization server did not register this client")
	}
	return Client{
		ID: made.ClientID, Secret: made.ClientSecret, Method: made.TokenEndpointAuthMethod,
		Issuer: server.Issuer, Redirect: redirect,
	}, nil
}

func methodOf(server *oauthex.AuthServerMeta, secret string) string {
	supported := server.TokenEndpointAuthMethodsSupported
	switch {
	case secret == "":
		return "none"
	case contains(supported, "client_secret_post") && !contains(supported, "client_secret_basic"):
		return "client_secret_post"
	}
	return "client_secret_basic"
}

// wantedMethod: a secret that each client makes for itself protects nothing, so that none
// is asked for where the server can do without.
func wantedMethod(server *oauthex.AuthServerMeta) string {
	supported := server.TokenEndpointAuthMethodsSupported
	for _, method := range []string{"none", "client_secret_basic", "client_secret_post"} {
		if contains(supported, method) {
			return method
		}
	}
	return ""
}

func applicationType(redirect string) string {
	u, err := url.Parse(redirect)
	if err == nil && (u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1") {
		return "native"
	}
	return "web"
}
