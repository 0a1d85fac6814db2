package domain

// SessionRef names a session.
type SessionRef struct {
	WorkspaceID string
	SessionID   string
	// RunEpoch is the claim that was seen, where the reference is about one.
	RunEpoch int64
}

// NetworkWaiter is a session in WAITING_NETWORK_RETRY. ProviderID is "" where it calls
// the workspace's default.
type NetworkWaiter struct {
	SessionID  string
	ProviderID string
}

// AutomationRef names an automation.
type AutomationRef struct{ WorkspaceID, ID string }
