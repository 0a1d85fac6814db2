package webhooks

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Rows is the database access of a Service.
type Rows interface {
	Webhooks(ctx context.Context, workspace string) ([]*outside.Webhook, error)
	Webhook(ctx context.Context, workspace, id string) (*outside.Webhook, error)
	InsertWebhook(ctx context.Context, h *outside.Webhook) error
	ChangeWebhook(ctx context.Context, workspace, id string, version int64,
		change func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error)) (*outside.Webhook, error)
	DeleteWebhook(ctx context.Context, workspace, id string, version int64) error
	Deliveries(ctx context.Context, workspace, webhook string, state outside.DeliveryState, cursor string, limit int) (
		[]*outside.WebhookDelivery, string, error)
}

// Service manages webhooks for people.
type Service struct {
	Rows
	loop  *Loop
	newID domain.IDSource
}

// NewService returns a Service; loop sends.
func NewService(rows Rows, loop *Loop, newID domain.IDSource) *Service {
	return &Service{rows, loop, newID}
}

// CreateWebhook creates a webhook and returns its secret, which is never shown again. It receives
// events from now on.
func (s *Service) CreateWebhook(ctx context.Context, in outside.Webhook) (h *outside.Webhook, secret string, err error) {
	now := s.loop.cfg.Clock()
	h = &outside.Webhook{
		ID: s.newID(domain.PrefixWebhook), WorkspaceID: in.WorkspaceID, Kind: outside.WebhookHTTP, URL: in.URL, Types: normal(in.Types),
		Enabled: in.Enabled, Links: in.Links, CreatedAt: now, UpdatedAt: now,
	}
	if err := s.checkURL(ctx, h.URL); err != nil {
		return nil, "", err
	}
	if err := s.checkLinks(h.Links); err != nil {
		return nil, "", err
	}
	if err := checkTypes(h.Types); err != nil {
		return nil, "", err
	}
	if secret, err = s.loop.cfg.Secrets.make(h); err != nil {
		return nil, "", err
	}
	if err := s.InsertWebhook(ctx, h); err != nil {
		return nil, "", err
	}
	s.loop.Changed(outside.WebhookRef{WorkspaceID: h.WorkspaceID, ID: h.ID})
	return h, secret, nil
}

// UpdateWebhook changes a webhook. One that is enabled again continues with new events: those it
// missed are sent by a replay only.
func (s *Service) UpdateWebhook(ctx context.Context, workspace, id string,
	version int64, p outside.WebhookPatch) (*outside.Webhook, error) {
	if p.URL != nil {
		if err := s.checkURL(ctx, *p.URL); err != nil {
			return nil, err
		}
	}
	if p.Types != nil {
		if err := checkTypes(normal(p.Types)); err != nil {
			return nil, err
		}
	}
	return s.change(ctx, workspace, id, version, func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error) {
		if p.URL != nil && *p.URL != h.URL {
			h.URL, h.FailingSince, h.PausedUntil = *p.URL, nil, nil
		}
		if p.Types != nil {
			h.Types = normal(p.Types)
		}
		if p.Links != nil {
			if err := s.checkLinks(*p.Links); err != nil {
				return nil, err
			}
			h.Links = *p.Links
		}
		if p.Enabled == nil || *p.Enabled == h.Enabled {
			return nil, nil
		}
		h.Enabled, h.DisabledReason, h.FailingSince, h.PausedUntil = *p.Enabled, "", nil, nil
		if !h.Enabled || h.SentTo == newest {
			return nil, nil
		}
		return s.skipTo(h, newest), nil
	})
}

// skipTo advances a webhook to a position and records the skipped events in its deliveries.
func (s *Service) skipTo(h *outside.Webhook, newest int64) *outside.WebhookDelivery {
	now, from := s.loop.cfg.Clock(), h.SentTo
	h.SentTo = newest
	return &outside.WebhookDelivery{
		Seq: newest, State: outside.DeliverySkipped, At: now, FirstAt: now, LastAt: now,
		Detail: fmt.Sprintf("events %d to %d happened while it was disabled; a replay with after %d sends them", from+1, newest, from),
	}
}

// RotateSecret replaces the secret of a webhook. The old one also signs for a day, so that
// receivers can be updated meanwhile.
func (s *Service) RotateSecret(ctx context.Context, workspace, id string) (h *outside.Webhook, secret string, err error) {
	h, err = s.change(ctx, workspace, id, 0, func(h *outside.Webhook, _ int64) (*outside.WebhookDelivery, error) {
		h.OldSecret, h.OldSecretUntil = h.Secret, new(s.loop.cfg.Clock().Add(outside.WebhookSecretOverlap))
		var err error
		secret, err = s.loop.cfg.Secrets.make(h)
		return nil, err
	})
	if err != nil {
		return nil, "", err
	}
	return h, secret, nil
}

// ReplayWebhook sends all events after a position again, as far as the log still has them.
func (s *Service) ReplayWebhook(ctx context.Context, workspace, id string, after int64) (*outside.Webhook, error) {
	return s.change(ctx, workspace, id, 0, func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error) {
		switch {
		case after > newest:
			return nil, domain.Invalid("/after", "future",
				"The log has not reached %d yet: its latest event is %d.", after, newest)
		case !h.Enabled:
			return nil, domain.Errorf(domain.CodeConflict, "This webhook is disabled, so nothing is sent to it. Enable it first.")
		}
		h.SentTo, h.PausedUntil = after, nil
		return nil, nil
	})
}

func (s *Service) change(ctx context.Context, workspace, id string, version int64,
	change func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error),
) (*outside.Webhook, error) {
	h, err := s.ChangeWebhook(ctx, workspace, id, version, func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error) {
		h.UpdatedAt = s.loop.cfg.Clock()
		return change(h, newest)
	})
	if err != nil {
		return nil, err
	}
	s.loop.Changed(outside.WebhookRef{WorkspaceID: workspace, ID: id})
	return h, nil
}

// TestWebhook sends a test message once.
func (s *Service) TestWebhook(ctx context.Context, workspace, id string) (*outside.WebhookTest, error) {
	h, err := s.Webhook(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	now := s.loop.cfg.Clock()
	secrets, err := s.loop.cfg.Secrets.open(h, now)
	if err != nil {
		return nil, domain.Errorf(domain.CodeProviderKey,
			"The secret of this webhook cannot be read: FERMATA_SECRET_KEY is missing or has changed. Rotate it.")
	}
	o := s.loop.sender.send(ctx, h, secrets, fmt.Sprintf("%s_test_%d", h.ID, now.UnixMicro()), testEvent(h, now), "")
	return &outside.WebhookTest{OK: o.delivered(), Status: o.status, Detail: o.detail, Took: o.took}, nil
}

// checkURL validates a receiver's URL. The addresses its host resolves to are checked for each
// connection.
func (s *Service) checkURL(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > outside.MaxWebhookURL || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }):
		return domain.Invalid("/url", "bad_url",
			"The URL must be like https://receiver.example/fermata, in ASCII without spaces, and have at most %d bytes.", outside.MaxWebhookURL)
	case u.User != nil:
		return domain.Invalid("/url", "bad_url", "The URL must not contain a user name or password: messages are signed instead.")
	case u.Fragment != "":
		return domain.Invalid("/url", "bad_url", "The fragment (#…) is never sent. Remove it.")
	case u.Scheme != "https" && !s.loop.cfg.Policy.AllowsPlain(ctx, u):
		return domain.Invalid("/url", "https_only",
			"Messages are only sent over https. The operator can allow a host without it (FERMATA_ALLOWED_HOSTS).")
	}
	return nil
}

// checkLinks rejects links that would lead nowhere.
func (s *Service) checkLinks(wanted bool) error {
	if wanted && s.loop.cfg.Link == nil {
		return domain.Invalid("/links", "no_public_url",
			"This server has no public URL, so it cannot create links. Set FERMATA_PUBLIC_URL.")
	}
	return nil
}

func checkTypes(types []domain.LogType) error {
	if len(types) == 0 {
		return domain.Invalid("/types", "empty", "Specify at least one event type, for example approval.requested.")
	}
	for i, t := range types {
		if !slices.Contains(domain.LogTypes, t) {
			return domain.Invalid(fmt.Sprintf("/types/%d", i), "unknown", "Unknown event type.")
		}
	}
	return nil
}

// normal sorts the types and removes duplicates.
func normal(types []domain.LogType) []domain.LogType {
	out := slices.Clone(types)
	slices.Sort(out)
	return slices.Compact(out)
}
