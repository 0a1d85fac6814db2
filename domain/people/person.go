package people

import (
	"cmp"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Person is one who speaks or decides in a workspace. There is a row for each, created at the first use.
type Person struct {
	ID          string // per_…
	WorkspaceID string
	Kind        PersonKind
	// Identity is unique in a workspace: of a signed-in person what the issuer's account is known by (usr_…), the id
	// of a key, for an end user of a program ActedFor, or the name of the root key or of the open server.
	Identity string
	Name     string // as the credentials have it: it changes with them
	Renamed  string // the name that an admin gave; "": Name
	Role     domain.Role
	Caps     Caps

	CreatedAt  time.Time
	LastSeenAt time.Time // to the minute
	BlockedAt  *time.Time
	ErasedAt   *time.Time
}

// PersonKind is how a person is identified.
type PersonKind string

const (
	PersonOIDC     PersonKind = "oidc"      // by an issuer
	PersonKey      PersonKind = "key"       // by an API key, which is a person of its own
	PersonLocal    PersonKind = "local"     // everyone on the open server
	PersonActedFor PersonKind = "acted_for" // by a program, whose key acts for its end users
	PersonRoot     PersonKind = "root"      // by the root key
)

// Caps limit what the calls of the AI for a person may use. Nil: no limit; 0: nothing.
type Caps struct {
	Day   periodCap `json:"day"`
	Month periodCap `json:"month"`
}

type periodCap struct {
	Tokens *int64   `json:"tokens"`
	Cost   *float64 `json:"cost"` // in US dollars
}

// ActedFor is the identity of an end user of a program: the key of the program, and its own id of the user.
func ActedFor(key, user string) string { return key + "/" + user }

// DisplayName is what people read.
func (p *Person) DisplayName() string { return cmp.Or(p.Renamed, p.Name) }

// Differs reports whether the credentials say something else of the person than what is stored.
func (p *Person) Differs(now *Person) bool { return p.Name != now.Name || p.Role != now.Role }

// PersonSummary is a person as an admin sees them.
type PersonSummary struct {
	Person

	Sessions       int
	SpentThisMonth *float64 // in US dollars; nil: nothing that has a price
}

// PersonPatch changes what an admin may change of a person. Nil: unchanged.
type PersonPatch struct {
	Renamed *string // "": the name that the credentials have
	Blocked *bool
}

// Apply merges the patch into a person, at the time of the change.
func (p *PersonPatch) Apply(to *Person, at time.Time) {
	if p.Renamed != nil {
		to.Renamed = *p.Renamed
	}
	switch {
	case p.Blocked == nil:
	case !*p.Blocked:
		to.BlockedAt = nil
	case to.BlockedAt == nil:
		to.BlockedAt = &at
	}
}

// MayBlock rejects blocking the person: the operator's own, or the admin who asks.
func (p *Person) MayBlock(by string) error {
	switch {
	case p.Kind == PersonRoot || p.Kind == PersonLocal:
		return domain.Errorf(domain.CodePersonProtected, "This is the person of the server's operator, who is never blocked. Nothing was changed.")
	case p.ID == by:
		return domain.Errorf(domain.CodePersonProtected, "You cannot block yourself. Nothing was changed.")
	}
	return nil
}

// Token is a bearer token that a program issued for a person, so that a browser can call the server directly. It holds as
// long as the key that it was issued with. Only its hash is stored.
type Token struct {
	WorkspaceID string
	Hash        string // hex SHA-256 of the whole token
	PersonID    string
	KeyHash     string // of the program's key
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// PersonSeen is when a person was last seen.
type PersonSeen struct {
	WorkspaceID string
	PersonID    string
	At          time.Time
}
