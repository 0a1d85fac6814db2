package oidc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

// Config of a Party.
type Config struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty: a public client, which PKCE alone protects
	// RedirectURL is where the issuer sends the browser back to.
	RedirectURL string
	// Audience that bearer tokens must be for; empty: ClientID.
	Audience string
	Scopes   []string // beside openid
	Rights   Rights
	// Workspaces says whether there is a workspace. Nobody is let into one that there is not.
	Workspaces func(ctx context.Context, id string) (bool, error)
	// CookieKeys sign what the browser remembers of a sign-in: the first signs, all verify. They are the
	// same on all nodes. Without one, only the process that began a sign-in can end it.
	CookieKeys [][]byte
	Client     *http.Client // of package egress
	Clock      clock.Clock
}

// Rights says which claims tell what a person may do.
type Rights struct {
	WorkspaceClaim string // empty: everybody comes into the default workspace
	RoleClaim      string // empty: everybody is a member
	// Roles are the roles that values of the claim stand for, beside their own names.
	Roles map[string]domain.Role
}

// ParseRoles reads "value=role".
func ParseRoles(texts []string) (map[string]domain.Role, error) {
	roles := map[string]domain.Role{}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		cut := strings.LastIndexByte(text, '=')
		if cut <= 0 {
			return nil, fmt.Errorf("%q is not value=role, like staff=member", text)
		}
		role := domain.Role(strings.TrimSpace(text[cut+1:]))
		if !slices.Contains(givenRoles, role) {
			return nil, fmt.Errorf("%q gives the role %q: there are viewer, member and admin", text, role)
		}
		roles[strings.TrimSpace(text[:cut])] = role
	}
	return roles, nil
}

// givenRoles are those that an issuer can give. Nobody is root by a claim.
var givenRoles = []domain.Role{domain.RoleViewer, domain.RoleMember, domain.RoleAdmin}

// CheckIssuer refuses what is no issuer's URL.
func CheckIssuer(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return errors.New("it is no address of an issuer: write it as the issuer names itself, like https://login.example.com")
	}
	return nil
}

// HostOf is the host of an issuer, as an exception to where requests may go: the operator
// named it, so it may be a private one.
func HostOf(issuer string) ([]egress.AllowedHost, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, fmt.Errorf("read the issuer's address: %w", err)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	allowed, err := egress.ParseAllowedHosts(net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("the issuer's host: %w", err)
	}
	return allowed, nil
}
