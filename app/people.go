package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/auth/oidc"
	"github.com/fermata-dev/fermata/domain"
	peopleapi "github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/people"
)

// People configures sign-in.
type People struct {
	OIDCIssuer           string        `help:"OpenID Connect issuer for sign-in, exactly as it names itself; if empty, people sign in with keys." env:"FERMATA_OIDC_ISSUER"`
	OIDCClientID         string        `help:"Client id of this server at the issuer." env:"FERMATA_OIDC_CLIENT_ID"`
	OIDCClientSecret     string        `help:"Client secret at the issuer; empty for a public client." env:"FERMATA_OIDC_CLIENT_SECRET" secret:"yes"`
	OIDCClientSecretFile string        `help:"File that contains it." env:"FERMATA_OIDC_CLIENT_SECRET_FILE" hidden:""`
	OIDCAudience         string        `help:"Audience (aud) required of the issuer's tokens when they are used as bearer tokens; default: the client id." env:"FERMATA_OIDC_AUDIENCE"`
	OIDCScopes           []string      `help:"Scopes to request besides openid." default:"profile,email" env:"FERMATA_OIDC_SCOPES"`
	OIDCWorkspaceClaim   string        `help:"Claim that lists a person's workspaces; if empty, everyone uses the workspace default." env:"FERMATA_OIDC_WORKSPACE_CLAIM"`
	OIDCRoleClaim        string        `help:"Claim that holds a person's role; if empty, everyone is a member." env:"FERMATA_OIDC_ROLE_CLAIM"`
	OIDCRoles            []string      `help:"Mapping of values of that claim to the roles viewer, member and admin: value=role, comma-separated." env:"FERMATA_OIDC_ROLES"`
	SignInIdle           time.Duration `help:"Idle time after which a browser is signed out." default:"168h" env:"FERMATA_SIGN_IN_IDLE"`
	SignInLifetime       time.Duration `help:"Time after which a browser is signed out in any case." default:"720h" env:"FERMATA_SIGN_IN_LIFETIME"`
}

// checkPeople rejects an unusable sign-in configuration.
func (f *Config) checkPeople() error {
	for name, d := range map[string]time.Duration{"FERMATA_SIGN_IN_IDLE": f.SignInIdle, "FERMATA_SIGN_IN_LIFETIME": f.SignInLifetime} {
		if d != 0 && d < 5*time.Minute || d > 366*24*time.Hour {
			return fmt.Errorf("%s is %s; it must be between 5m and 8784h (a year)", name, d)
		}
	}
	if _, err := oidc.ParseRoles(f.OIDCRoles); err != nil {
		return fmt.Errorf("FERMATA_OIDC_ROLES (--oidc-roles): %w", err)
	}
	if f.OIDCIssuer == "" {
		if f.OIDCClientID != "" || f.OIDCClientSecret != "" {
			return errors.New("FERMATA_OIDC_CLIENT_ID or FERMATA_OIDC_CLIENT_SECRET is set without FERMATA_OIDC_ISSUER: set the issuer too")
		}
		return nil
	}
	if err := oidc.CheckIssuer(f.OIDCIssuer); err != nil {
		return fmt.Errorf("FERMATA_OIDC_ISSUER (--oidc-issuer): %w", err)
	}
	if f.OIDCClientID == "" {
		return errors.New("FERMATA_OIDC_ISSUER is set without FERMATA_OIDC_CLIENT_ID: register this server at the issuer, and set the client id")
	}
	if f.PublicURL == "" {
		return errors.New("FERMATA_OIDC_ISSUER is set without FERMATA_PUBLIC_URL: the issuer redirects browsers to FERMATA_PUBLIC_URL/v1/sign-in/callback, so set it to the address that browsers use")
	}
	return nil
}

// pageURL is the address of the web app, without a trailing slash.
func (f *Config) pageURL() string { return strings.TrimRight(f.PublicURL, "/") }

func (f *Config) cookies() auth.Cookies { return auth.CookiesFor(f.PublicURL, f.TLSCert != "") }

// browserURL returns the address of the web app: on this machine unless configured otherwise.
func browserURL(a *App) func() string {
	return func() string {
		if a.flags.PublicURL != "" {
			return a.flags.pageURL()
		}
		return a.URL()
	}
}

// peopleParts wires sign-in.
type peopleParts struct{ *App }

// wireIssuer creates the OpenID Connect client. The operator chose the issuer, so it may be a private
// host.
func (a peopleParts) wireIssuer() error {
	if a.flags.OIDCIssuer == "" {
		return nil
	}
	party, err := a.flags.party(a.clock, a.requestFailed)
	if err != nil {
		return err
	}
	party.Workspaces, party.CookieKeys = a.hasWorkspace, a.cookieKeys()
	a.issuer = oidc.New(party)
	return nil
}

// cookieKeys sign the cookies of sign-ins in progress. Nodes without a secret key share the client
// secret instead; a public client without either uses keys of its process.
func (a peopleParts) cookieKeys() [][]byte {
	if keys := a.keys.DeriveAll("sign-in cookie"); len(keys) > 0 {
		return keys
	}
	if secret := cmp.Or(a.flags.OIDCClientSecret, a.flags.RootKey); secret != "" {
		sum := sha256.Sum256([]byte("sign-in cookie\n" + secret))
		return [][]byte{sum[:]}
	}
	return nil
}

// party is the configuration of the OpenID Connect client.
func (f *Config) party(now func() time.Time, failed func(context.Context, string, egress.Reason, error)) (oidc.Config, error) {
	allowed, err := egress.ParseAllowedHosts(f.AllowedHosts...)
	if err != nil {
		return oidc.Config{}, fmt.Errorf("FERMATA_ALLOWED_HOSTS: %w", err)
	}
	host, err := oidc.HostOf(f.OIDCIssuer)
	if err != nil {
		return oidc.Config{}, err
	}
	roles, err := oidc.ParseRoles(f.OIDCRoles)
	if err != nil {
		return oidc.Config{}, err
	}
	return oidc.Config{
		Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, ClientSecret: f.OIDCClientSecret, Audience: f.OIDCAudience,
		RedirectURL: f.pageURL() + "/v1/sign-in/callback", Scopes: f.OIDCScopes, Clock: now,
		Rights: oidc.Rights{WorkspaceClaim: f.OIDCWorkspaceClaim, RoleClaim: f.OIDCRoleClaim, Roles: roles},
		Client: egress.NewClient(egress.Config{
			Policy: egress.Policy{Allowed: append(allowed, host...)}, Failed: failed, Fresh: true, // a code is valid once
		}),
	}, nil
}

func (a peopleParts) hasWorkspace(ctx context.Context, id string) (bool, error) {
	_, err := a.store.Workspaces.Workspace(ctx, id)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// signIns configures browser sign-ins for the authenticator.
func (a peopleParts) signIns() auth.SignInConfig {
	c := auth.SignInConfig{
		Store: a.store.SignIns, Cookies: a.flags.cookies(), PublicURL: a.flags.PublicURL,
		Idle: a.flags.SignInIdle, Lifetime: a.flags.SignInLifetime, NewID: a.newID,
	}
	if a.issuer != nil {
		c.Issuer = a.issuer
	}
	return c
}

func (a peopleParts) ports(settings peopleapi.SettingsPorts) peopleapi.Ports {
	ports := peopleapi.Ports{
		SignIns: a.App.auth, Passkeys: a.App.passkeys, Pushes: a.App.pushes,
		People: personStores{a.store.People, a.store.Sessions}, Tokens: a.App.auth,
		Workspaces: a.store.Workspaces, Settings: settings,
	}
	if a.issuer != nil {
		ports.Issuer = a.issuer
	}
	return ports
}

// warnOfNoAdmin logs a warning if no one can have the role admin.
func (f *Config) warnOfNoAdmin(log zerolog.Logger) {
	if f.OIDCIssuer != "" && f.OIDCRoleClaim == "" && f.RootKey == "" {
		log.Warn().Str("fix", "Set FERMATA_OIDC_ROLE_CLAIM to the claim that holds a person's role, or FERMATA_ROOT_KEY.").
			Msg("Everyone who signs in is a member: without an admin key the server cannot be configured")
	}
}

// personStores serves people and their sessions to the API.
type personStores struct {
	*people.PersonStore
	*repository.SessionStore
}

// uses stores when keys and sign-ins were last used, and people last seen.
type uses struct {
	*people.KeyStore
	*people.SignInStore
	*people.PersonStore
}
