package mcp

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/internal/egress"
)

// discovered is the result of discovery.
type discovered struct {
	resource string
	scope    string
	server   *oauthex.AuthServerMeta
}

// discover reads the server's challenge, its resource metadata, and the metadata of its
// authorization server.
func (o *OAuth) discover(ctx context.Context) (*discovered, error) {
	challenge, err := o.fetchChallenge(ctx)
	if err != nil {
		return nil, err
	}
	found := &discovered{resource: o.URL, scope: challenge.scope}
	issuer, err := o.resourceMetadata(ctx, challenge, found)
	if err != nil {
		return nil, err
	}
	found.server, err = auth.GetAuthServerMetadata(ctx, issuer, o.Client)
	if err != nil {
		return nil, o.requestFailed(err, "the authorization server's metadata cannot be used")
	}
	if found.server == nil { // as before servers had metadata
		found.server = &oauthex.AuthServerMeta{
			Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize",
			TokenEndpoint: issuer + "/token", RegistrationEndpoint: issuer + "/register",
		}
	}
	return found, nil
}

// requestFailed returns an error about the authorization server: the reason for network errors,
// otherwise our own message.
func (o *OAuth) requestFailed(err error, message string) error {
	if reason := egress.ReasonOf(err); reason != egress.ReasonNone {
		return cannot("the authorization server cannot be reached: "+string(reason), err)
	}
	return cannot(message, err)
}

// fetchChallenge sends a request without a token and returns the server's challenge.
func (o *OAuth) fetchChallenge(ctx context.Context) (*challenge, error) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.URL, bytes.NewReader(body))
	if err != nil {
		return nil, cannot("the connector's URL is invalid", nil)
	}
	setAccepted(request.Header)
	response, err := o.Client.Do(request) //nolint:bodyclose // Discard does
	if err != nil {
		return nil, unreachable(ctx, err, false)
	}
	defer egress.Discard(response.Body)
	return challengeOf(response), nil
}

// resourceMetadata reads the server's resource metadata and returns its issuer. The metadata must
// name this server: anything else could redirect tokens.
func (o *OAuth) resourceMetadata(ctx context.Context, c *challenge, found *discovered) (string, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return "", cannot("the connector's URL is invalid", nil)
	}
	root := &url.URL{Scheme: u.Scheme, Host: u.Host}
	wellKnown := root.String() + "/.well-known/oauth-protected-resource"
	type place struct{ at, resource string }
	places := []place{{wellKnown + "/" + strings.TrimLeft(u.Path, "/"), o.URL}, {wellKnown, root.String()}}
	if c.metadata != "" {
		places = []place{{c.metadata, o.URL}, {c.metadata, root.String()}, places[0], places[1]}
	}
	var mismatch error
	for _, p := range places {
		described, err := oauthex.GetProtectedResourceMetadata(ctx, p.at, p.resource, o.Client)
		if err != nil {
			if strings.Contains(err.Error(), "got metadata resource") {
				mismatch = err
			}
			continue // the next location may have it
		}
		if len(described.AuthorizationServers) == 0 {
			return "", cannot("the server names no authorization server", nil)
		}
		found.resource = described.Resource
		if found.scope == "" {
			found.scope = strings.Join(described.ScopesSupported, " ")
		}
		return described.AuthorizationServers[0], nil
	}
	if mismatch != nil {
		return "", cannot("the server's metadata is for another resource", mismatch)
	}
	return root.String(), nil // before 2025-06-18 the server was its own authorization server
}

// cannot is the error of a sign-in that cannot be started. Text of other servers is only in its
// cause.
func cannot(message string, cause error) error {
	return &connectors.SignInError{Message: message, Cause: cause}
}

func contains(list []string, one string) bool { return slices.Contains(list, one) }

// sameIssuer ignores a trailing slash.
func sameIssuer(a, b string) bool {
	return strings.TrimRight(a, "/") == strings.TrimRight(b, "/")
}

// union joins scopes without duplicates, in order.
func union(scopes ...string) string {
	var all []string
	for _, s := range scopes {
		for one := range strings.FieldsSeq(s) {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return strings.Join(all, " ")
}
