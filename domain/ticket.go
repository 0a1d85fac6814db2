package domain

import "time"

// Ticket opens one event stream, once, as the one who asked for it. The ticket itself
// is known to its bearer alone.
type Ticket struct {
	Hash        string
	WorkspaceID string
	Role        Role
	Name        string
	KeyHash     string // of the key that asked, to look whether it still holds
	ExpiresAt   time.Time
}
