package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	sessionsapi "github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// linksOf signs links to approvals with a key derived from the secret key: the same on all nodes.
func linksOf(a *App) *auth.Links { return auth.NewLinks(a.keys.DeriveAll("approval link"), a.clock) }

func linkPorts(a *App) sessionsapi.LinkPorts {
	return sessionsapi.LinkPorts{Links: linksOf(a), Withdraw: a.store.Approvals.WithdrawLinks}
}

// linksOut creates the links in notifications; nil if the address that browsers use is unknown, or
// there is no key to sign with.
func linksOut(a *App) webhooks.Link {
	links, base := linksOf(a), a.flags.pageURL()
	if base == "" || !links.Any() {
		return nil
	}
	return func(ctx context.Context, e *domain.LogEvent, recipient string) (string, error) {
		var data struct {
			Approval struct {
				ID string `json:"id"`
			} `json:"approval"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return "", fmt.Errorf("read event %d: %w", e.Seq, err)
		}
		asked, err := a.store.Approvals.Approval(ctx, e.WorkspaceID, data.Approval.ID)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			return "", nil // its session was deleted
		}
		if err != nil {
			return "", err
		}
		return linkTo(links, base, asked, recipient)
	}
}

// linkTo returns the address of a link to an approval, which is the same for each call; "" once the
// approval is settled.
func linkTo(links *auth.Links, base string, asked *domain.Approval, recipient string) (string, error) {
	if asked.Status != domain.ApprovalStatusOpen {
		return "", nil
	}
	link, err := domain.LinkTo(asked, recipient, asked.CreatedAt)
	if err != nil {
		return "", err
	}
	token, err := links.Sign(link)
	if err != nil {
		return "", err
	}
	return base + "/a/" + token, nil
}
