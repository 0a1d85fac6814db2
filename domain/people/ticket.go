package people

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Ticket opens one event stream, once, with the rights of the caller it was issued to. Only its bearer has
// the ticket itself.
type Ticket struct {
	Hash        string
	WorkspaceID string
	Role        domain.Role
	Name        string
	KeyHash     string // of the caller's key or cookie, to check that it is still valid
	ExpiresAt   time.Time
	Holder      Holder
	HoldsUntil  *time.Time // of a token; nil: it is looked up
}

// Holder is the kind of credentials that the ticket was issued for.
type Holder string

const (
	HolderKey    Holder = "" // or nothing, on the open server
	HolderSignIn Holder = "sign_in"
	HolderToken  Holder = "token" // of an issuer
	HolderPerson Holder = "person_token"
)
