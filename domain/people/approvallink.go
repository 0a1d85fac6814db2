package people

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// ApprovalLinkLife is the lifetime of a link to an approval that does not expire.
	ApprovalLinkLife = 7 * 24 * time.Hour
	// MaxLinkRecipient is how many bytes the name of a recipient has at most.
	MaxLinkRecipient = 200
	// settledByLink begins what an approval has for settled_by where a link answered it;
	// the recipient follows, if there is one.
	settledByLink = "link"
)

// ApprovalLink is the content of a signed address. Its bearer may answer one approval.
type ApprovalLink struct {
	WorkspaceID string
	ApprovalID  string
	Digest      []byte // of the question when the link was made
	Recipient   string // the address it was sent to; "" if it was not sent
	ExpiresAt   time.Time
}

// LinkTo is the link to an approval as it is now.
func LinkTo(a *domain.Approval, recipient string, now time.Time) (*ApprovalLink, error) {
	digest, err := linkDigest(a)
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

// Leads reports whether the link still belongs to the open question and was not revoked.
func (l *ApprovalLink) Leads(a *domain.Approval) bool {
	digest, err := linkDigest(a)
	return err == nil && bytes.Equal(digest, l.Digest)
}

// Author is the author of answers through the link. It was made or configured by an admin, and has an
// admin's rights for this one approval.
func (l *ApprovalLink) Author() domain.Author {
	id := settledByLink
	if l.Recipient != "" {
		id += ":" + l.Recipient
	}
	return domain.Author{ID: id, Name: l.Recipient, Role: domain.RoleAdmin}
}

// askedDigest covers what a person is shown, and nothing that changes when it is settled: the actions with
// their exact parameters, the question, the budget.
func askedDigest(a *domain.Approval) ([]byte, error) {
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

// linkDigest is askedDigest bound to how often the links were withdrawn.
func linkDigest(a *domain.Approval) ([]byte, error) {
	digest, err := askedDigest(a)
	if err != nil || a.LinkEpoch == 0 {
		return digest, err
	}
	sum := sha256.Sum256(fmt.Appendf(digest, "\nlinks withdrawn %d times", a.LinkEpoch))
	return sum[:len(digest)], nil
}

// RecipientOf reads who settled an approval, if a link did: the recipient of the link, "" for
// a link that had none.
func RecipientOf(settledBy string) (recipient string, link bool) {
	rest, ok := strings.CutPrefix(settledBy, settledByLink)
	if !ok || rest != "" && rest[0] != ':' {
		return "", false
	}
	return strings.TrimPrefix(rest, ":"), true
}
