package domain

import (
	"strings"
	"time"
)

// DefaultWorkspace is the one that a fresh server has.
const DefaultWorkspace = "default"

// Workspace is the boundary of isolation. Nothing crosses it.
type Workspace struct {
	ID       string
	Name     string
	Settings Settings
	LastSeq  int64 // number of its latest event
	// AgentsVersion counts the changes of its agents.
	AgentsVersion int64
	CreatedAt     time.Time
}

// IsWorkspaceID reports whether a text is a valid workspace id.
func IsWorkspaceID(text string) bool {
	const most = 63
	return text != "" && len(text) <= most && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
