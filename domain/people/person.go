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
	// of a key, or the name of the root key or of the open server.
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
	PersonOIDC  PersonKind = "oidc"  // by an issuer
	PersonKey   PersonKind = "key"   // by an API key, which is a person of its own
	PersonLocal PersonKind = "local" // everyone on the open server
	PersonRoot  PersonKind = "root"  // by the root key
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

// DisplayName is what people read.
func (p *Person) DisplayName() string { return cmp.Or(p.Renamed, p.Name) }

// Differs reports whether the credentials say something else of the person than what is stored.
func (p *Person) Differs(now *Person) bool { return p.Name != now.Name || p.Role != now.Role }

// PersonSeen is when a person was last seen.
type PersonSeen struct {
	WorkspaceID string
	PersonID    string
	At          time.Time
}
