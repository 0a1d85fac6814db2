package webhooks

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Rows is what people's side needs of the database.
type Rows interface {
	Webhooks(ctx context.Context, workspace string) ([]*domain.Webhook, error)
	Webhook(ctx context.Context, workspace, id string) (*domain.Webhook, error)
	InsertWebhook(ctx context.Context, h *domain.Webhook) error
	ChangeWebhook(ctx context.Context, workspace, id string, version int64,
		change func(h *domain.Webhook, newest int64) (*domain.WebhookDelivery, error)) (*domain.Webhook, error)
	DeleteWebhook(ctx context.Context, workspace, id string, version int64) error
	Deliveries(ctx context.Context, workspace, webhook string, state domain.DeliveryState, cursor string, limit int) (
		[]*domain.WebhookDelivery, string, error)
}

// Service is what people do with webhooks.
type Service struct {
	Rows
	loop  *Loop
	newID domain.IDSource
}

// NewService makes it; loop sends.
func NewService(rows Rows, loop *Loop, newID domain.IDSource) *Service {
	return &Service{rows, loop, newID}
}

// CreateWebhook makes a webhook of its address, its types and what else a person says of it,
// and gives its secret, which is never shown again. It is told of what happens from now on.
func (s *Service) CreateWebhook(ctx context.Context, in domain.Webhook) (h *domain.Webhook, secret string, err error) {
	now := s.loop.cfg.Clock()
	h = &domain.Webhook{
		ID: s.newID(domain.PrefixWebhook), WorkspaceID: in.WorkspaceID, Kind: domain.WebhookHTTP, URL: in.URL, Types: normal(in.Types),
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
	s.loop.Changed(domain.WebhookRef{WorkspaceID: h.WorkspaceID, ID: h.ID})
	return h, secret, nil
}

// UpdateWebhook changes a webhook. One that is enabled again goes on with what happens from
// then on: what it missed meanwhile is sent when a replay asks for it.
func (s *Service) UpdateWebhook(ctx context.Context, workspace, id string, version int64, p domain.WebhookPatch) (*domain.Webhook, error) {
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
	return s.change(ctx, workspace, id, version, func(h *domain.Webhook, newest int64) (*domain.WebhookDelivery, error) {
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

// skipTo has a webhook go on behind a number, and says so in its deliveries.
func (s *Service) skipTo(h *domain.Webhook, newest int64) *domain.WebhookDelivery {
	now, from := s.loop.cfg.Clock(), h.SentTo
	h.SentTo = newest
	return &domain.WebhookDelivery{
		Seq: newest, State: domain.DeliverySkipped, At: now, FirstAt: now, LastAt: now,
		Detail: fmt.Sprintf("events %d to %d happened while it was off; replay with after %d sends them", from+1, newest, from),
	}
}

// RotateSecret gives a webhook a new secret. The old one signs beside it for a day, so that
// receivers can be changed meanwhile.
func (s *Service) RotateSecret(ctx context.Context, workspace, id string) (h *domain.Webhook, secret string, err error) {
	h, err = s.change(ctx, workspace, id, 0, func(h *domain.Webhook, _ int64) (*domain.WebhookDelivery, error) {
		h.OldSecret, h.OldSecretUntil = h.Secret, new(s.loop.cfg.Clock().Add(domain.WebhookSecretOverlap))
		var err error
		secret, err = s.loop.cfg.Secrets.make(h)
		return nil, err
	})
	if err != nil {
		return nil, "", err
	}
	return h, secret, nil
}

// ReplayWebhook sends everything after a number again, as far as the log still has it.
func (s *Service) ReplayWebhook(ctx context.Context, workspace, id string, after int64) (*domain.Webhook, error) {
	return s.change(ctx, workspace, id, 0, func(h *domain.Webhook, newest int64) (*domain.WebhookDelivery, error) {
		switch {
		case after > newest:
			return nil, domain.Invalid("/after", "future",
				"The log has not come to %d yet: its latest event has the number %d.", after, newest)
		case !h.Enabled:
			return nil, domain.Errorf(domain.CodeConflict, "This webhook is disabled, so nothing is sent to it. Enable it first.")
		}
		h.SentTo, h.PausedUntil = after, nil
		return nil, nil
	})
}

func (s *Service) change(ctx context.Context, workspace, id string, version int64,
	change func(h *domain.Webhook, newest int64) (*domain.WebhookDelivery, error),
) (*domain.Webhook, error) {
	h, err := s.ChangeWebhook(ctx, workspace, id, version, func(h *domain.Webhook, newest int64) (*domain.WebhookDelivery, error) {
		h.UpdatedAt = s.loop.cfg.Clock()
		return change(h, newest)
	})
	if err != nil {
		return nil, err
	}
	s.loop.Changed(domain.WebhookRef{WorkspaceID: workspace, ID: id})
	return h, nil
}

// TestWebhook sends a message that is no event, once, and says what came of it.
func (s *Service) TestWebhook(ctx context.Context, workspace, id string) (*domain.WebhookTest, error) {
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
	return &domain.WebhookTest{OK: o.delivered(), Status: o.status, Detail: o.detail, Took: o.took}, nil
}

// checkURL takes an address that messages may go to. What its name leads to is looked at
// whenever a connection is made.
func (s *Service) checkURL(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > domain.MaxWebhookURL || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }):
		return domain.Invalid("/url", "bad_url",
			"This is no address like https://receiver.example/fermata, in ASCII without spaces, of %d bytes at most.", domain.MaxWebhookURL)
	case u.User != nil:
		return domain.Invalid("/url", "bad_url", "The address must hold no user name or password: messages are signed instead.")
	case u.Fragment != "":
		return domain.Invalid("/url", "bad_url", "The part behind # is never sent. Leave it out.")
	case u.Scheme != "https" && !s.loop.cfg.Policy.AllowsPlain(ctx, u):
		return domain.Invalid("/url", "https_only",
			"Messages go out over https only. The operator can allow a host without it (FERMATA_ALLOWED_HOSTS).")
	}
	return nil
}

// checkLinks refuses links that would lead nowhere.
func (s *Service) checkLinks(wanted bool) error {
	if wanted && s.loop.cfg.Link == nil {
		return domain.Invalid("/links", "no_public_url",
			"This server does not know the address that browsers reach it under, so it makes no links. Set FERMATA_PUBLIC_URL.")
	}
	return nil
}

func checkTypes(types []domain.LogType) error {
	if len(types) == 0 {
		return domain.Invalid("/types", "empty", "Name at least one type of event, like approval.requested.")
	}
	for i, t := range types {
		if !slices.Contains(domain.LogTypes, t) {
			return domain.Invalid(fmt.Sprintf("/types/%d", i), "unknown", "There is no such type of event.")
		}
	}
	return nil
}

// normal is each type once, in their own order.
func normal(types []domain.LogType) []domain.LogType {
	out := slices.Clone(types)
	slices.Sort(out)
	return slices.Compact(out)
}
