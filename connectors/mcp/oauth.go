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

// OAuth implements sign-in to one server: the authorization code flow with PKCE, and its tokens.
// Its state is a Grant, which the owner stores sealed.
type OAuth struct {
	OAuthConfig

	refreshing chan struct{} // mutex: held while refreshing
	tokens     cachedTokens
}

// OAuthConfig configures a sign-in.
type OAuthConfig struct {
	// URL is the connector's server. Tokens are bound to it.
	URL    string
	Client *http.Client
	Store  GrantStore
	// Name is the client name on the consent page.
	Name string
	// MetadataURL is the URL of our Client ID Metadata Document. If empty, dynamic client
	// registration is used where available.
	MetadataURL string
	// ClientID and ClientSecret belong to a manually registered client.
	ClientID, ClientSecret string
	// Issuer is the authorization server of that client: they are sent to no other. If empty, the
	// ID may be sent to any, and the secret to none.
	Issuer string
}

// NewOAuth returns an OAuth. It makes no requests yet.
func NewOAuth(config OAuthConfig) *OAuth {
	o := &OAuth{OAuthConfig: config, refreshing: make(chan struct{}, 1)}
	o.refreshing <- struct{}{}
	return o
}

// GrantStore stores a grant for all nodes. It contains secrets.
type GrantStore interface {
	Load(ctx context.Context) (Grant, error)
	// Save stores a loaded grant, increments its version, and ends a claim; domain.ErrStale on a
	// conflict.
	Save(ctx context.Context, grant Grant) error
	// Claim acquires the exclusive right to refresh a loaded grant for a while.
	Claim(ctx context.Context, grant Grant, within time.Duration) (bool, error)
}

// Grant is the stored state of a sign-in.
type Grant struct {
	Resource string `json:"resource,omitempty"` // audience of the tokens
	Issuer   string `json:"issuer,omitempty"`
	Endpoint string `json:"token_endpoint,omitempty"`
	Client   Client `json:"client,omitzero"`
	Scope    string `json:"scope,omitempty"` // of the tokens, as requested

	Access  string    `json:"access_token,omitempty"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expires time.Time `json:"expires,omitzero"`

	// Wanted is a scope that the server reported missing; the next sign-in requests it too.
	Wanted string `json:"wanted,omitempty"`
	// Begun is a pending sign-in.
	Begun *Begun `json:"begun,omitempty"`

	// Version is the loaded row's version.
	Version int64 `json:"-"`
}

// Client is our registration at one authorization server.
type Client struct {
	ID     string `json:"id,omitempty"`
	Secret string `json:"secret,omitempty"`
	Method string `json:"method,omitempty"` // authentication method
	Issuer string `json:"issuer,omitempty"` // the credentials are sent to no other
	// Redirect is the registered redirect URI.
	Redirect string `json:"redirect,omitempty"`
}

// Begun is the data needed to finish a sign-in on any node.
type Begun struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Redirect string    `json:"redirect"`
	Resource string    `json:"resource"`
	Issuer   string    `json:"issuer"`
	Endpoint string    `json:"token_endpoint"`
	Client   Client    `json:"client"`
	Scope    string    `json:"scope,omitempty"`
	NamesIss bool      `json:"names_iss,omitempty"` // the server's response contains iss
	Until    time.Time `json:"until"`
}

// signInTime bounds the time between start and end of a sign-in.
const signInTime = 15 * time.Minute

// ErrSignIn is returned when the returned state matches no pending sign-in, or too late.
var ErrSignIn = connectors.ErrSignInOver

// maxStale bounds the retries of a change after conflicts.
const maxStale = 10

// change loads, changes and stores the grant.
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

// Begin discovers the authorization server, registers the client if necessary, and returns the URL
// for the person to visit. The state, which begins with the given prefix, comes back with the
// answer (Finish).
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

// address returns the authorization URL. It contains no secrets.
func (b *Begun) address(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return "", cannot("the authorization server has no authorization endpoint", nil)
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

// Finish redeems the code, once: of several requests with the same state, on any node, one
// succeeds. iss is the issuer in the response, or empty.
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
		return fmt.Errorf("the authorization server did not accept the code: %w", ofToken(err))
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

// check compares the response with the pending sign-in.
func (b *Begun) check(state, iss string) error {
	switch {
	case b == nil || subtle.ConstantTimeCompare([]byte(b.State), []byte(state)) != 1 || clock.System().After(b.Until):
		return ErrSignIn
	case (b.NamesIss || iss != "") && iss != b.Issuer:
		return fmt.Errorf("%w: the response names another server", ErrSignIn)
	case !b.NamesIss && iss != "":
		return fmt.Errorf("%w: the response contains an unannounced issuer", ErrSignIn)
	}
	return nil
}

// Abandon ends a pending sign-in that was declined.
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

// take stores a token. A server with rotation returns a new refresh token each time.
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
	style := oauth2.AuthStyleInHeader // the default (RFC 7591)
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

// ofToken removes the authorization server's text from an error: its codes are enough.
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

// Error returns the status and the code.
func (e *tokenError) Error() string { return fmt.Sprintf("status %d %s", e.status, e.code) }

// register returns our client: identified by our metadata document, registered manually, or
// registered dynamically. Its credentials are only sent to its own server.
func (o *OAuth) register(ctx context.Context, server *oauthex.AuthServerMeta, known Client, redirect string) (Client, error) {
	switch {
	case o.Issuer != "" && !sameIssuer(o.Issuer, server.Issuer):
		return Client{}, cannot("the server uses an authorization server other than the issuer in the connector's config", nil)
	case o.MetadataURL != "" && server.ClientIDMetadataDocumentSupported:
		return Client{ID: o.MetadataURL, Method: "none", Issuer: server.Issuer, Redirect: redirect}, nil
	case o.ClientID != "":
		return Client{ID: o.ClientID, Secret: o.ClientSecret, Method: methodOf(server, o.ClientSecret), Issuer: server.Issuer}, nil
	case known.ID != "" && sameIssuer(known.Issuer, server.Issuer) && known.Redirect == redirect:
		return known, nil
	case server.RegistrationEndpoint == "":
		return Client{}, cannot("the authorization server does not support client registration: enter a client_id and its issuer", nil)
	}
	made, err := oauthex.RegisterClient(ctx, server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: o.Name, RedirectURIs: []string{redirect}, ApplicationType: applicationType(redirect),
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		TokenEndpointAuthMethod: wantedMethod(server),
	}, o.Client)
	if err != nil {
		return Client{}, o.requestFailed(err, "the authorization server did not register this client")
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

// wantedMethod returns the authentication method to register with. A secret generated per client
// protects nothing, so none is requested if the server allows that.
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
