package people

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
)

// Workspaces reads the workspaces of a person.
type Workspaces interface {
	Workspaces(ctx context.Context) ([]*domain.Workspace, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// ProviderReader reads a configured provider.
type ProviderReader interface {
	Provider(ctx context.Context, ws, id string) (*outside.Provider, error)
}

// Settings reads and changes the workspace's settings. patch.Version is
// what If-Match demanded (0: nothing).
type Settings interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	UpdateSettings(ctx context.Context, ws string, patch people.SettingsPatch) (*domain.Workspace, error)
}

// MintedKey is a key as it was made, with its text, this once.
type MintedKey struct {
	*people.Key
	Text string
	// Closed: the server was open until now, and requires a key from now on.
	Closed bool
}

// Keys keeps the workspace's API keys. Those that must not be made (first_key) or revoked
// (last_admin_key) are domain errors.
type Keys interface {
	Keys(ctx context.Context, ws string) ([]*people.Key, error)
	CreateKey(ctx context.Context, ws string, in auth.NewKey) (*MintedKey, error)
	RevokeKey(ctx context.Context, ws, id string) error
}

// Ports are how people sign in, and their settings.
type Ports struct {
	SignIns    SignIns
	Passkeys   Passkeys
	People     peopleStore
	Tokens     tokenIssuer
	Pushes     Pushes
	Issuer     Issuer // optional: without one people sign in with keys
	Workspaces Workspaces
	Settings   SettingsPorts
}

// SettingsPorts are a workspace's settings and keys.
type SettingsPorts struct {
	Settings  Settings
	Keys      Keys
	Providers ProviderReader
	// Chunks are those of the prompt's level 1.
	Chunks func() []domain.Chunk
	// MailOff says why this server sends no mail (MailNoServer, MailNoAddress); empty: it does.
	MailOff string
}

// peopleStore stores the people of a workspace. since is the instant from which their spending is summed.
type peopleStore interface {
	People(ctx context.Context, ws string, limit int, cursor string, since time.Time) ([]*people.PersonSummary, string, error)
	Summary(ctx context.Context, ws, id string, since time.Time) (*people.PersonSummary, error)
	Person(ctx context.Context, ws, id string) (*people.Person, error)
	// UpdatePerson merges a patch. check decides in the same transaction whether it may.
	UpdatePerson(ctx context.Context, ws, id string, patch people.PersonPatch, check func(*people.Person) error) (*people.Person, error)
	// Sessions lists sessions, newest first.
	Sessions(ctx context.Context, ws string, f domain.SessionFilter) ([]*domain.Session, string, error)
}

// tokenIssuer issues bearer tokens for the users of programs (package auth).
type tokenIssuer interface {
	IssueToken(ctx context.Context, id *auth.Identity, user string, life time.Duration) (*auth.IssuedToken, error)
	RevokeTokens(ctx context.Context, id *auth.Identity, person string) error
}

// Passkeys keeps the passkeys of people.
type Passkeys interface {
	Passkeys(ctx context.Context, ws string, who domain.Author) ([]*people.Passkey, error)
	// Begin and Finish register one.
	Begin(ctx context.Context, ws string, who domain.Author) (*people.PasskeyToMake, error)
	Finish(ctx context.Context, ws string, who domain.Author, in people.NewPasskey) (*people.Passkey, error)
	DeletePasskey(ctx context.Context, ws string, who domain.Author, id string) error
	// ForgetPasskeys deletes all passkeys of a person, who may then register new ones.
	ForgetPasskeys(ctx context.Context, ws, owner string) error
}

// SignIns lets people's browsers in, and out (package auth).
type SignIns interface {
	SignInByKey(r *http.Request, key string) (*auth.Opened, error)
	SignInPerson(r *http.Request, p *people.IssuerPerson) (*auth.Opened, error)
	SignInsOf(ctx context.Context, id *auth.Identity) ([]*people.SignedIn, error)
	// EndSignIn ends one of the caller's; all of them with the id "".
	EndSignIn(ctx context.Context, id *auth.Identity, signIn string) error
	// EndThis ends what the browser is signed in with, if it is.
	EndThis(r *http.Request) error
}

// Issuer is where people sign in (package auth/oidc).
type Issuer interface {
	Issuer() string
	// Begin gives the address at the issuer, and what the browser has to remember.
	Begin(ctx context.Context, returnTo string) (to, cookie string, err error)
	// Finish reads what the issuer sent the browser back with.
	Finish(ctx context.Context, cookie string, query url.Values) (person *people.IssuerPerson, returnTo string, err error)
}

// Pushes stores the browsers that receive push notifications. One of another person is a domain
// not_found error.
type Pushes interface {
	PushKey() (string, error)
	Pushes(ctx context.Context, ws, person string) ([]*outside.Push, error)
	SubscribePush(ctx context.Context, in outside.NewPush) (p *outside.Push, made bool, err error)
	DeletePush(ctx context.Context, ws, person, id string) error
	// TestPush sends one push. That it does not arrive is no error: it is in the result.
	TestPush(ctx context.Context, ws, person, id string) (*outside.WebhookTest, error)
}
