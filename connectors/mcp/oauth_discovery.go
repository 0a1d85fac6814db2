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

// discovered is where a server wants its people to sign in.
type discovered struct {
	resource string
	scope    string
	server   *oauthex.AuthServerMeta
}

// discover asks the server, its description, and the authorization server that it names.
func (o *OAuth) discover(ctx context.Context) (*discovered, error) {
	challenge, err := o.knock(ctx)
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
		return nil, o.askedInVain(err, "what the authorization server says of itself cannot be used")
	}
	if found.server == nil { // as it was before servers described themselves
		found.server = &oauthex.AuthServerMeta{
			Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize",
			TokenEndpoint: issuer + "/token", RegistrationEndpoint: issuer + "/register",
		}
	}
	return found, nil
}

// askedInVain is an error of the authorization server's: of the network by its reason, and of
// anything that it wrote by our own words.
func (o *OAuth) askedInVain(err error, message string) error {
	if reason := egress.ReasonOf(err); reason != egress.ReasonNone {
		return cannot("the authorization server cannot be reached: "+string(reason), err)
	}
	return cannot(message, err)
}

// knock sends a request without a token, to be told where one comes from.
func (o *OAuth) knock(ctx context.Context) (*challenge, error) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.URL, bytes.NewReader(body))
	if err != nil {
		return nil, cannot("the connector's address cannot be used", nil)
	}
	setAccepted(request.Header)
	response, err := o.Client.Do(request) //nolint:bodyclose // Discard does
	if err != nil {
		return nil, unreachable(ctx, err, false)
	}
	defer egress.Discard(response.Body)
	return challengeOf(response), nil
}

// resourceMetadata reads how the server describes itself, and gives the issuer it names.
// The description must be of this very server: any other could lead tokens astray.
func (o *OAuth) resourceMetadata(ctx context.Context, c *challenge, found *discovered) (string, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return "", cannot("the connector's address cannot be used", nil)
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
			continue // the next place may have it
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
		return "", cannot("the server describes itself as another", mismatch)
	}
	return root.String(), nil // before 2025-06-18 the server was its own
}

// cannot says why a sign-in cannot be begun; what others wrote is in the cause alone.
func cannot(message string, cause error) error {
	return &connectors.SignInError{Message: message, Cause: cause}
}

func contains(list []string, one string) bool { return slices.Contains(list, one) }

// sameIssuer: a slash at the end makes no other.
func sameIssuer(a, b string) bool {
	return strings.TrimRight(a, "/") == strings.TrimRight(b, "/")
}

// union joins scopes, each once, in the order in which they came.
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
