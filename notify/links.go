package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// Links create signed links to approvals.
type Links struct {
	Signer *auth.Links
	Page   string // the address that browsers use; may be empty
	Store  interface {
		Approval(ctx context.Context, workspace, id string) (*domain.Approval, error)
	}
}

// Any reports whether links can be created: the address is known, and there is a key to sign with.
func (l *Links) Any() bool { return l.Page != "" && l.Signer.Any() }

// Of returns the address of a link to the approval of an event; "" if its session was deleted or it is settled.
func (l *Links) Of(ctx context.Context, e *domain.LogEvent, recipient string) (string, error) {
	var data struct {
		Approval struct {
			ID string `json:"id"`
		} `json:"approval"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return "", fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	asked, err := l.Store.Approval(ctx, e.WorkspaceID, data.Approval.ID)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return l.To(asked, recipient)
}

// To returns the address of a link to an approval, which is the same for each call; "" once the approval is settled.
func (l *Links) To(asked *domain.Approval, recipient string) (string, error) {
	if asked.Status != domain.ApprovalStatusOpen {
		return "", nil
	}
	link, err := people.LinkTo(asked, recipient, asked.CreatedAt)
	if err != nil {
		return "", err
	}
	token, err := l.Signer.Sign(link)
	if err != nil {
		return "", err
	}
	return l.Page + "/a/" + token, nil
}
