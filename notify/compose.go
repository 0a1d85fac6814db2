package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// Store reads the approvals to notify about.
type Store interface {
	Approval(ctx context.Context, workspace, id string) (*domain.Approval, error)
	// ApprovalsBetween returns the approvals created in a period, oldest first, settled or not.
	ApprovalsBetween(ctx context.Context, workspace string, from, to time.Time) ([]*domain.Approval, error)
}

// Workspaces provides language and quiet hours.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Composer decides what a notification about an event contains.
type Composer struct {
	Store      Store
	Workspaces Workspaces
	Clock      clock.Clock
	// Link creates the URL at which a recipient answers; "" if there is nothing to answer.
	Link func(asked *domain.Approval, recipient string) (string, error)
}

// message is the content of one notification.
type message struct {
	settings *domain.Settings
	about    string // // ID of the event's approval: the same in each attempt
	asked    []*domain.Approval
	links    []string // // one for each approval
}

// of composes the notification about an event. Alternatively it returns the outcome: held until the
// quiet hours end, nothing left to send, or not readable.
func (n *Composer) of(ctx context.Context, e *domain.LogEvent, recipient string) (*message, *webhooks.Outcome) {
	t, outcome, err := n.find(ctx, e)
	if err == nil && outcome == nil {
		err = n.link(t, recipient)
	}
	if err != nil {
		return nil, &webhooks.Outcome{Result: webhooks.Unreachable, Detail: "the approval could not be read"}
	}
	return t, outcome
}

func (n *Composer) find(ctx context.Context, e *domain.LogEvent) (*message, *webhooks.Outcome, error) {
	var data struct {
		Approval struct {
			ID string `json:"id"`
		} `json:"approval"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, nil, fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	w, err := n.Workspaces.Workspace(ctx, e.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	t := &message{settings: &w.Settings, about: data.Approval.ID}
	zone, err := time.LoadLocation(w.Settings.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	quiet, now := w.Settings.Notifications.QuietHours, n.Clock()
	if _, end, is := quiet.Around(now, zone); is {
		return nil, &webhooks.Outcome{Result: webhooks.Held, HeldUntil: end}, nil
	}
	a, err := n.Store.Approval(ctx, e.WorkspaceID, data.Approval.ID)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, nothing("the approval no longer exists"), nil
	}
	if err != nil {
		return nil, nil, err
	}
	all := []*domain.Approval{a}
	if from, to, is := quiet.Around(a.CreatedAt, zone); is {
		if all, err = n.Store.ApprovalsBetween(ctx, e.WorkspaceID, from, to); err != nil {
			return nil, nil, err
		}
		// The first approval of the quiet hours sends the notification about all of them.
		if len(all) == 0 || all[0].ID != a.ID {
			return nil, nothing("sent together with others after the quiet hours"), nil
		}
	}
	for _, a := range all {
		if a.Status == domain.ApprovalStatusOpen && (a.ExpiresAt == nil || a.ExpiresAt.After(now)) {
			t.asked = append(t.asked, a)
		}
	}
	if len(t.asked) == 0 {
		return nil, nothing("settled before it was sent"), nil
	}
	return t, nil, nil
}

// link creates the links of a notification.
func (n *Composer) link(t *message, recipient string) error {
	for _, a := range t.asked {
		link, err := n.Link(a, recipient)
		if err != nil {
			return err
		}
		t.links = append(t.links, link)
	}
	return nil
}

// nothing marks an event as done without sending.
func nothing(why string) *webhooks.Outcome {
	return &webhooks.Outcome{Result: webhooks.Delivered, Detail: why}
}
