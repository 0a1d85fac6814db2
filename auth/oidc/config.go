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
	// Workspaces reports whether a workspace exists. Access to a missing one is refused.
	Workspaces func(ctx context.Context, id string) (bool, error)
	// CookieKeys sign the cookie of a sign-in in progress: the first signs, all verify. They are the same on all
	// nodes. Without any, only the process that began a sign-in can finish it.
	CookieKeys [][]byte
	Client     *http.Client // of package egress
	Clock      clock.Clock
}

// Rights names the claims that decide what a person may do.
type Rights struct {
	WorkspaceClaim string // empty: all people use the default workspace
	RoleClaim      string // empty: all people are members
	// Roles maps values of the claim to roles. The names of roles need no entry.
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

// givenRoles are those that an issuer can give. A claim never gives the role root.
var givenRoles = []domain.Role{domain.RoleViewer, domain.RoleMember, domain.RoleAdmin}

// CheckIssuer rejects a text that is not the URL of an issuer.
func CheckIssuer(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return errors.New("it is not the address of an issuer: write it exactly as the issuer does, like https://login.example.com")
	}
	return nil
}

// HostOf returns the issuer's host as an allowed host for requests: the operator configured it, so it may be private.
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
