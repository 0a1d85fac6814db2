package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/notify/webpush"
)

// PushRows stores subscriptions.
type PushRows interface {
	Pushes(ctx context.Context, workspace, person string) ([]*outside.Push, error)
	Push(ctx context.Context, workspace, person, id string) (*outside.Push, error)
	PushAt(ctx context.Context, workspace, endpoint string) (*outside.Push, error)
	SavePush(ctx context.Context, h *outside.Webhook) (made bool, err error)
	DeletePush(ctx context.Context, workspace, person, id string) error
}

// Subscriptions manages people's browser subscriptions.
type Subscriptions struct {
	Rows       PushRows
	Workspaces Workspaces
	Secrets    webhooks.Secrets
	Pusher     *Pusher // // nil: see Off
	Off        string
	NewID      domain.IDSource
	Clock      clock.Clock
	// Changed is called after a subscription was created or changed.
	Changed func(outside.WebhookRef)
}

func (s *Subscriptions) ready() error {
	if s.Pusher == nil {
		return domain.Errorf(domain.CodePushOff, "%s Nothing was changed.", s.Off)
	}
	return nil
}

// PushKey returns the key that browsers subscribe with.
func (s *Subscriptions) PushKey() (string, error) {
	if err := s.ready(); err != nil {
		return "", err
	}
	return s.Pusher.Sender.Public(), nil
}

// Pushes lists a person's subscribed browsers.
func (s *Subscriptions) Pushes(ctx context.Context, workspace, person string) ([]*outside.Push, error) {
	return s.Rows.Pushes(ctx, workspace, person)
}

// DeletePush deletes a person's subscription. A push in progress still arrives.
func (s *Subscriptions) DeletePush(ctx context.Context, workspace, person, id string) error {
	return s.Rows.DeletePush(ctx, workspace, person, id)
}

// SubscribePush subscribes a browser to a person's notifications from now on. made is true if it is
// new.
func (s *Subscriptions) SubscribePush(ctx context.Context, in outside.NewPush) (p *outside.Push, made bool, err error) {
	if err := s.ready(); err != nil {
		return nil, false, err
	}
	now := s.Clock()
	h := &outside.Webhook{
		ID: s.NewID(domain.PrefixPush), Kind: outside.WebhookPush, WorkspaceID: in.WorkspaceID, URL: in.Endpoint, Enabled: true,
		Types: []domain.LogType{domain.LogApprovalRequested}, Person: in.Person, SignIn: in.SignIn,
		Label: strings.TrimSpace(in.Name), Language: in.Language,
		HoldsUntil: holds(now, &in), CreatedAt: now, UpdatedAt: now,
	}
	if err := s.check(ctx, h, &in); err != nil {
		return nil, false, err
	}
	if h.Language == "" {
		w, err := s.Workspaces.Workspace(ctx, h.WorkspaceID)
		if err != nil {
			return nil, false, err
		}
		h.Language = w.Settings.Language
	}
	if made, err = s.save(ctx, h, &in); err != nil {
		return nil, false, err
	}
	s.Changed(outside.WebhookRef{WorkspaceID: h.WorkspaceID, ID: h.ID})
	p, err = s.Rows.Push(ctx, h.WorkspaceID, h.Person, h.ID)
	return p, made, err
}

// holds returns when a subscription expires: with the owner's credentials, or at the browser's
// expiration time.
func holds(now time.Time, in *outside.NewPush) *time.Time {
	until := in.Until
	if in.Unbound {
		until = new(now.Add(outside.PushHolds))
	}
	if in.ExpiresAt != nil && (until == nil || in.ExpiresAt.Before(*until)) {
		until = in.ExpiresAt
	}
	return until
}

// check rejects subscriptions that could never receive a push.
func (s *Subscriptions) check(ctx context.Context, h *outside.Webhook, in *outside.NewPush) error {
	u, err := url.Parse(in.Endpoint)
	switch {
	case err != nil || len(in.Endpoint) > outside.MaxWebhookURL || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" ||
		u.User != nil || u.Fragment != "" || strings.ContainsFunc(in.Endpoint, func(r rune) bool { return r <= ' ' || r > '~' }):
		return domain.Invalid("/endpoint", "bad_url",
			"This is not a browser's endpoint: it must be an https URL in ASCII of at most %d bytes.", outside.MaxWebhookURL)
	case u.Scheme != "https" && !s.Pusher.Policy.AllowsPlain(ctx, u):
		return domain.Invalid("/endpoint", "https_only",
			"Pushes are only sent over https. The operator can allow a host without it (FERMATA_ALLOWED_HOSTS).")
	case h.Over(s.Clock()):
		return domain.Invalid("/expirationTime", "past", "The subscription has already expired.")
	}
	_, err = webpush.ReadBrowser(in.P256dh, in.Auth)
	switch {
	case errors.Is(err, webpush.ErrAuth):
		return domain.Invalid("/keys/auth", "wrong_format", "This must be 16 bytes in base64url.")
	case err != nil:
		return domain.Invalid("/keys/p256dh", "wrong_format", "This must be a P-256 public key in base64url (65 bytes).")
	}
	return nil
}

// save stores the subscription. Of two concurrent requests for one endpoint, the second updates the
// row of the first.
func (s *Subscriptions) save(ctx context.Context, h *outside.Webhook, in *outside.NewPush) (made bool, err error) {
	id := h.ID
	for range 3 {
		h.ID = id
		if err := s.seal(ctx, h, in); err != nil {
			return false, err
		}
		if made, err = s.Rows.SavePush(ctx, h); !errors.Is(err, domain.ErrStale) {
			return made, err
		}
	}
	return false, err
}

// seal seals the keys of a subscription. An endpoint accepts pushes only from the key it was
// created with: a known endpoint keeps that key, even if the current one is different.
func (s *Subscriptions) seal(ctx context.Context, h *outside.Webhook, in *outside.NewPush) error {
	to := receiver{P256dh: in.P256dh, Auth: in.Auth, Sender: s.Pusher.Sender.Secret()}
	known, err := s.Rows.PushAt(ctx, h.WorkspaceID, h.URL)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
	case err != nil:
		return err
	default:
		var before receiver
		text, err := s.Secrets.Kept(&known.Webhook)
		if err == nil && json.Unmarshal([]byte(text), &before) == nil {
			to.Sender = before.Sender
		}
		if known.Person != h.Person {
			break // // it gets a row of its own
		}
		h.ID = known.ID
		if before.P256dh == to.P256dh && before.Auth == to.Auth {
			h.Secret = known.Secret // // unchanged
			return nil
		}
	}
	text, err := json.Marshal(to)
	if err != nil {
		return fmt.Errorf("encode the keys of a subscription: %w", err)
	}
	return s.Secrets.Keep(h, string(text))
}

// TestPush sends a test push, once. If the browser is gone, the subscription is deleted.
func (s *Subscriptions) TestPush(ctx context.Context, workspace, person, id string) (*outside.WebhookTest, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	p, err := s.Rows.Push(ctx, workspace, person, id)
	if err != nil {
		return nil, err
	}
	secret, err := s.Secrets.Kept(&p.Webhook)
	if err != nil {
		return nil, domain.Errorf(domain.CodeProviderKey,
			"The keys of this subscription cannot be read: FERMATA_SECRET_KEY is missing or has changed. Subscribe the browser again.")
	}
	began := s.Clock()
	o := s.Pusher.Try(ctx, &p.Webhook, secret)
	result := &outside.WebhookTest{OK: o.Result == webhooks.Delivered, Status: o.Status, Detail: o.Detail, Took: s.Clock().Sub(began)}
	if o.Result == webhooks.Gone {
		result.Detail += ": the browser no longer accepts pushes, and the subscription was deleted"
		if err := s.Rows.DeletePush(ctx, workspace, person, id); err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
			return nil, err
		}
	}
	return result, nil
}
