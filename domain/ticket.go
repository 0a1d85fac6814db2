package domain

import "time"

// Ticket opens one event stream, once, as the one who asked for it. The ticket itself
// is known to its bearer alone.
type Ticket struct {
	Hash        string
	WorkspaceID string
	Role        Role
	Name        string
	KeyHash     string // of the key or cookie that asked, to look whether it still holds
	ExpiresAt   time.Time
	Holder      Holder
	HoldsUntil  *time.Time // of a token; nil: it is looked up
}

// Holder is what the one who asked for a ticket had.
type Holder string

const (
	HolderKey    Holder = "" // or nothing, on the open server
	HolderSignIn Holder = "sign_in"
	HolderToken  Holder = "token" // of an issuer
)
