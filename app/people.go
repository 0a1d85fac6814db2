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
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/repository"
)

// People says how people sign in.
type People struct {
	OIDCIssuer           string        `help:"Issuer of OpenID Connect that vouches for people, as it names itself; empty: people sign in with keys." env:"FERMATA_OIDC_ISSUER"`
	OIDCClientID         string        `help:"This server's name at the issuer." env:"FERMATA_OIDC_CLIENT_ID"`
	OIDCClientSecret     string        `help:"Its secret at the issuer; empty for a public client." env:"FERMATA_OIDC_CLIENT_SECRET" secret:"yes"`
	OIDCClientSecretFile string        `help:"File that holds it." env:"FERMATA_OIDC_CLIENT_SECRET_FILE" hidden:""`
	OIDCAudience         string        `help:"Whom the issuer's tokens must be for (aud) to be taken as bearer tokens; empty: the client id." env:"FERMATA_OIDC_AUDIENCE"`
	OIDCScopes           []string      `help:"Scopes to ask the issuer for, beside openid." default:"profile,email" env:"FERMATA_OIDC_SCOPES"`
	OIDCWorkspaceClaim   string        `help:"Claim that names a person's workspaces; empty: everybody comes into the workspace default." env:"FERMATA_OIDC_WORKSPACE_CLAIM"`
	OIDCRoleClaim        string        `help:"Claim that names a person's role; empty: everybody is a member." env:"FERMATA_OIDC_ROLE_CLAIM"`
	OIDCRoles            []string      `help:"What values of that claim stand for, beside viewer, member and admin: value=role, comma-separated." env:"FERMATA_OIDC_ROLES"`
	SignInIdle           time.Duration `help:"A browser that is not used for so long is signed out." default:"168h" env:"FERMATA_SIGN_IN_IDLE"`
	SignInLifetime       time.Duration `help:"A browser is signed out after this in any case." default:"720h" env:"FERMATA_SIGN_IN_LIFETIME"`
}

// checkPeople refuses what nobody could sign in with.
func (f *Config) checkPeople() error {
	for name, d := range map[string]time.Duration{"FERMATA_SIGN_IN_IDLE": f.SignInIdle, "FERMATA_SIGN_IN_LIFETIME": f.SignInLifetime} {
		if d != 0 && d < 5*time.Minute || d > 366*24*time.Hour {
			return fmt.Errorf("%s is %s; it takes 5m to 8784h (a year)", name, d)
		}
	}
	if _, err := oidc.ParseRoles(f.OIDCRoles); err != nil {
		return fmt.Errorf("FERMATA_OIDC_ROLES (--oidc-roles): %w", err)
	}
	if f.OIDCIssuer == "" {
		if f.OIDCClientID != "" || f.OIDCClientSecret != "" {
			return errors.New("FERMATA_OIDC_CLIENT_ID or FERMATA_OIDC_CLIENT_SECRET is set, and FERMATA_OIDC_ISSUER is not: name the issuer too")
		}
		return nil
	}
	if err := oidc.CheckIssuer(f.OIDCIssuer); err != nil {
		return fmt.Errorf("FERMATA_OIDC_ISSUER (--oidc-issuer): %w", err)
	}
	if f.OIDCClientID == "" {
		return errors.New("FERMATA_OIDC_ISSUER is set, and FERMATA_OIDC_CLIENT_ID is not: register this server at the issuer, and set the id it gets there")
	}
	if f.PublicURL == "" {
		return errors.New("FERMATA_OIDC_ISSUER is set, and FERMATA_PUBLIC_URL is not: the issuer sends browsers back to FERMATA_PUBLIC_URL/v1/sign-in/callback, so set it to the address that browsers use")
	}
	return nil
}

// pageURL is where browsers reach the page, without a / at the end.
func (f *Config) pageURL() string { return strings.TrimRight(f.PublicURL, "/") }

func (f *Config) cookies() auth.Cookies {
	if f.PublicURL != "" {
		return auth.Cookies{Secure: strings.HasPrefix(strings.ToLower(f.PublicURL), "https://")}
	}
	return auth.Cookies{Secure: f.TLSCert != ""}
}

// browserURL is where browsers reach the page: on this machine where nothing else is said.
func browserURL(a *App) func() string {
	return func() string {
		if a.flags.PublicURL != "" {
			return a.flags.pageURL()
		}
		return a.URL()
	}
}

// peopleParts are the server, as far as people sign in to it.
type peopleParts struct{ *App }

// wireIssuer makes this server the issuer's client. The operator named the issuer, so it may
// be a private host.
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

// cookieKeys sign what browsers remember of sign-ins that have begun. Nodes without a secret key
// have another secret in common; a public client without any has keys of its process.
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

// party is the issuer's client as the configuration has it.
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
			Policy: egress.Policy{Allowed: append(allowed, host...)}, Failed: failed, Fresh: true, // a code is taken once
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

// signIns is what the authenticator knows of people in browsers.
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

func (a peopleParts) ports() handlers.PeoplePorts {
	ports := handlers.PeoplePorts{
		SignIns: a.App.auth, Passkeys: a.App.passkeys, Pushes: a.App.pushes, Cookies: a.flags.cookies(), PublicURL: a.flags.pageURL(),
	}
	if a.issuer != nil {
		ports.Issuer = a.issuer
	}
	return ports
}

// warnOfNoAdmin tells an operator whose server nobody can configure.
func (f *Config) warnOfNoAdmin(log zerolog.Logger) {
	if f.OIDCIssuer != "" && f.OIDCRoleClaim == "" && f.RootKey == "" {
		log.Warn().Str("fix", "Set FERMATA_OIDC_ROLE_CLAIM to the claim that says who is an admin, or FERMATA_ROOT_KEY.").
			Msg("Everybody whom the issuer vouches for is a member: without an admin's key nobody can configure anything")
	}
}

// uses is where it is kept when keys and sign-ins were used last.
type uses struct {
	*repository.KeyStore
	*repository.SignInStore
}
