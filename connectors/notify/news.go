package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/connectors/webhooks"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Store is what is read to know what people are to be told.
type Store interface {
	Approval(ctx context.Context, workspace, id string) (*domain.Approval, error)
	// ApprovalsBetween are those that were asked in a time, oldest first, settled or not.
	ApprovalsBetween(ctx context.Context, workspace string, from, to time.Time) ([]*domain.Approval, error)
}

// Workspaces say in which language people are told, and when not.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// News decides what somebody is told of an event.
type News struct {
	Store      Store
	Workspaces Workspaces
	Clock      clock.Clock
	// Link makes the address at which a recipient answers; "" where there is nothing to answer.
	Link func(asked *domain.Approval, recipient string) (string, error)
}

// told is what somebody is told.
type told struct {
	settings *domain.Settings
	about    string // the approval that the event is of: the same at each try
	asked    []*domain.Approval
	links    []string // one for each
}

// of says what there is to tell of an event, or what came of it instead: that it is held until
// the quiet hours end, that nothing is to be told any more, that it could not be found out.
func (n *News) of(ctx context.Context, e *domain.LogEvent, recipient string) (*told, *webhooks.Outcome) {
	t, outcome, err := n.find(ctx, e)
	if err == nil && outcome == nil {
		err = n.link(t, recipient)
	}
	if err != nil {
		return nil, &webhooks.Outcome{Result: webhooks.Unreachable, Detail: "what was asked could not be read"}
	}
	return t, outcome
}

func (n *News) find(ctx context.Context, e *domain.LogEvent) (*told, *webhooks.Outcome, error) {
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
	t := &told{settings: &w.Settings, about: data.Approval.ID}
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
		return nil, nothing("what was asked is gone"), nil
	}
	if err != nil {
		return nil, nil, err
	}
	all := []*domain.Approval{a}
	if from, to, is := quiet.Around(a.CreatedAt, zone); is {
		if all, err = n.Store.ApprovalsBetween(ctx, e.WorkspaceID, from, to); err != nil {
			return nil, nil, err
		}
		// Of all that came in the quiet hours the first brings the news of the others.
		if len(all) == 0 || all[0].ID != a.ID {
			return nil, nothing("told with the others of the quiet hours"), nil
		}
	}
	for _, a := range all {
		if a.Status == domain.ApprovalStatusOpen && (a.ExpiresAt == nil || a.ExpiresAt.After(now)) {
			t.asked = append(t.asked, a)
		}
	}
	if len(t.asked) == 0 {
		return nil, nothing("settled before it was told"), nil
	}
	return t, nil, nil
}

// link makes the links of what is told.
func (n *News) link(t *told, recipient string) error {
	for _, a := range t.asked {
		link, err := n.Link(a, recipient)
		if err != nil {
			return err
		}
		t.links = append(t.links, link)
	}
	return nil
}

// nothing more has to be done with an event.
func nothing(why string) *webhooks.Outcome {
	return &webhooks.Outcome{Result: webhooks.Delivered, Detail: why}
}
