package domain

import (
	"encoding/json"
	"slices"
	"time"
)

// PasskeyRequest is what a person's passkey has to sign: the options of navigator.credentials.get,
// as of an instant that is signed too.
type PasskeyRequest struct {
	IssuedAt  time.Time
	ExpiresAt time.Time
	PublicKey json.RawMessage
}

// PasskeyAnswer is the signature.
type PasskeyAnswer struct {
	IssuedAt   time.Time
	Credential json.RawMessage
}

// PasskeyUse is written with what the passkey was used for, on the condition that the passkey is
// still in use and has signed nothing later.
type PasskeyUse struct {
	WorkspaceID string
	PasskeyID   string
	SignCount   uint32
	At          time.Time
}

// Sensitive reports whether one of the actions that the decision approves needs a passkey.
func (a *Approval) Sensitive(d Decision) bool {
	return d.Approved && slices.ContainsFunc(a.ApprovedActions(d), func(action ApprovalAction) bool { return action.Sensitive })
}

// ApprovedActions are those that the decision approves.
func (a *Approval) ApprovedActions(d Decision) []ApprovalAction {
	if len(d.ApprovedIDs) == 0 {
		return a.Actions
	}
	return slices.DeleteFunc(slices.Clone(a.Actions), func(action ApprovalAction) bool {
		return !slices.Contains(d.ApprovedIDs, action.ID)
	})
}
