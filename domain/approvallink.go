package domain

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	// ApprovalLinkLife is how long a link to an approval holds whose own time does not end.
	ApprovalLinkLife = 7 * 24 * time.Hour
	// MaxLinkRecipient is how many bytes the name of a recipient has at most.
	MaxLinkRecipient = 200
	// SettledByLink begins what an approval has for settled_by where a link answered it;
	// the recipient follows, if there is one.
	SettledByLink = "link"
)

// ApprovalLink is what a signed address says: whoever holds it may answer one approval.
type ApprovalLink struct {
	WorkspaceID string
	ApprovalID  string
	Digest      []byte // of what was asked when the link was made
	Recipient   string // to whom it was sent; "": to nobody in particular
	ExpiresAt   time.Time
}

// LinkTo is the link to an approval as it is now.
func LinkTo(a *Approval, recipient string, now time.Time) (*ApprovalLink, error) {
	digest, err := a.linkDigest()
	if err != nil {
		return nil, err
	}
	link := &ApprovalLink{
		WorkspaceID: a.WorkspaceID, ApprovalID: a.ID, Digest: digest, Recipient: recipient,
		ExpiresAt: now.Add(ApprovalLinkLife).Truncate(time.Second),
	}
	if a.ExpiresAt != nil && a.ExpiresAt.Before(link.ExpiresAt) {
		link.ExpiresAt = a.ExpiresAt.Truncate(time.Second)
	}
	return link, nil
}

// Leads says whether the link is still to what is asked, and was not withdrawn.
func (l *ApprovalLink) Leads(a *Approval) bool {
	digest, err := a.linkDigest()
	return err == nil && bytes.Equal(digest, l.Digest)
}

// Author is who answers by the link. An admin made it, or had it sent: to this one approval
// it says what an admin may say.
func (l *ApprovalLink) Author() Author {
	id := SettledByLink
	if l.Recipient != "" {
		id += ":" + l.Recipient
	}
	return Author{ID: id, Name: l.Recipient, Role: RoleAdmin}
}

// AskedDigest is made of what a person is asked, and of nothing that changes when it is
// settled: the actions with their exact params, the question, the budget.
func (a *Approval) AskedDigest() ([]byte, error) {
	type action struct{ ID, Digest string }
	actions := make([]action, len(a.Actions))
	for i := range a.Actions {
		actions[i] = action{a.Actions[i].ID, a.Actions[i].Digest}
	}
	asked, err := json.Marshal([]any{a.WorkspaceID, a.ID, a.SessionID, a.Kind, actions, a.Module, a.Budget, a.Text})
	if err != nil {
		return nil, fmt.Errorf("digest what approval %s asks: %w", a.ID, err)
	}
	sum := sha256.Sum256(asked)
	return sum[:12], nil
}

// linkDigest is AskedDigest bound to how often the links were withdrawn.
func (a *Approval) linkDigest() ([]byte, error) {
	digest, err := a.AskedDigest()
	if err != nil || a.LinkEpoch == 0 {
		return digest, err
	}
	sum := sha256.Sum256(fmt.Appendf(digest, "\nlinks withdrawn %d times", a.LinkEpoch))
	return sum[:len(digest)], nil
}

// RecipientOf reads who settled an approval, if a link did: the recipient of the link, "" for
// a link that had none.
func RecipientOf(settledBy string) (recipient string, link bool) {
	rest, ok := strings.CutPrefix(settledBy, SettledByLink)
	if !ok || rest != "" && rest[0] != ':' {
		return "", false
	}
	return strings.TrimPrefix(rest, ":"), true
}
