package handlers

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Webhooks stores webhooks. Validation failures are domain invalid errors with pointers into the webhook.
type Webhooks interface {
	Webhooks(ctx context.Context, ws string) ([]*outside.Webhook, error)
	Webhook(ctx context.Context, ws, id string) (*outside.Webhook, error)
	// CreateWebhook makes one, and gives its secret, this once.
	CreateWebhook(ctx context.Context, in outside.Webhook) (h *outside.Webhook, secret string, err error)
	UpdateWebhook(ctx context.Context, ws, id string, version int64, patch outside.WebhookPatch) (*outside.Webhook, error)
	DeleteWebhook(ctx context.Context, ws, id string, version int64) error
}

// WebhookSending is what is done with one that is there.
type WebhookSending interface {
	Deliveries(ctx context.Context, ws, id string, state outside.DeliveryState, cursor string, limit int) (
		[]*outside.WebhookDelivery, string, error)
	// RotateSecret gives it another secret, which is given back this once.
	RotateSecret(ctx context.Context, ws, id string) (h *outside.Webhook, secret string, err error)
	ReplayWebhook(ctx context.Context, ws, id string, after int64) (*outside.Webhook, error)
	// TestWebhook sends one message. That it does not arrive is no error: it is in the result.
	TestWebhook(ctx context.Context, ws, id string) (*outside.WebhookTest, error)
}

func (s *webhookRoutes) listWebhooks(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	shown := func(h *outside.Webhook) *api.Webhook { return api.WebhookFrom(h, "") }
	writeList(s, w, r, limit, shown, func(limit int) ([]*outside.Webhook, string, error) {
		all, err := s.Webhooks.Webhooks(r.Context(), caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return cut(all, func(h **outside.Webhook) string { return (*h).ID }, limit, after)
	})
}

func (s *webhookRoutes) createWebhook(w http.ResponseWriter, r *http.Request) {
	var in api.NewWebhook
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	h, secret, err := s.Webhooks.CreateWebhook(r.Context(), outside.Webhook{
		WorkspaceID: caller(r).Workspace, URL: in.URL, Types: api.LogTypesOf(in.Types), Enabled: in.Enabled == nil || *in.Enabled,
		Links: in.Links != nil && *in.Links,
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/webhooks/"+h.ID)
	s.writeWebhook(w, r, http.StatusCreated, h, secret)
}

func (s *webhookRoutes) getWebhook(w http.ResponseWriter, r *http.Request) {
	h, err := s.Webhooks.Webhook(r.Context(), caller(r).Workspace, webhookID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, "")
}

func (s *webhookRoutes) updateWebhook(w http.ResponseWriter, r *http.Request) {
	var in api.WebhookPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	h, err := s.Webhooks.UpdateWebhook(r.Context(), caller(r).Workspace, webhookID(r), ifMatch(r), in.Domain())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, "")
}

func (s *webhookRoutes) deleteWebhook(w http.ResponseWriter, r *http.Request) {
	if err := s.Webhooks.DeleteWebhook(r.Context(), caller(r).Workspace, webhookID(r), ifMatch(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *webhookRoutes) testWebhook(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	result, err := s.Sending.TestWebhook(r.Context(), caller(r).Workspace, webhookID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.WebhookTestFrom(result))
}

func (s *webhookRoutes) rotateWebhookSecret(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	h, secret, err := s.Sending.RotateSecret(r.Context(), caller(r).Workspace, webhookID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, secret)
}

func (s *webhookRoutes) listDeliveries(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	state, err := oneOf(r, "state", outside.DeliveryDone, outside.DeliveryRetrying, outside.DeliveryFailed, outside.DeliverySkipped)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.WebhookDeliveryFrom, func(limit int) ([]*outside.WebhookDelivery, string, error) {
		return s.Sending.Deliveries(r.Context(), caller(r).Workspace, webhookID(r), state, after, limit)
	})
}

func (s *webhookRoutes) replayWebhook(w http.ResponseWriter, r *http.Request) {
	var in api.WebhookReplay
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	h, err := s.Sending.ReplayWebhook(r.Context(), caller(r).Workspace, webhookID(r), *in.After)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, "")
}

func (s *webhookRoutes) writeWebhook(w http.ResponseWriter, r *http.Request, status int, h *outside.Webhook, secret string) {
	setETag(w, h.Version)
	s.writeJSON(w, r, status, api.WebhookFrom(h, secret))
}

func webhookID(r *http.Request) string { return chi.URLParam(r, "webhook_id") }
