package outside

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *WebhookHandlers) ListWebhooks(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	shown := func(h *outside.Webhook) *api.Webhook { return api.WebhookFrom(h, "") }
	edge.WriteList(s, w, r, limit, shown, func(limit int) ([]*outside.Webhook, string, error) {
		all, err := s.Webhooks.Webhooks(r.Context(), edge.Caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return edge.Cut(all, func(h **outside.Webhook) string { return (*h).ID }, limit, after)
	})
}

func (s *WebhookHandlers) CreateWebhook(w http.ResponseWriter, r *http.Request) {
	var in api.NewWebhook
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	h, secret, err := s.Webhooks.CreateWebhook(r.Context(), outside.Webhook{
		WorkspaceID: edge.Caller(r).Workspace, URL: in.URL, Types: api.LogTypesOf(in.Types), Enabled: in.Enabled == nil || *in.Enabled,
		Links: in.Links != nil && *in.Links,
	})
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/webhooks/"+h.ID)
	s.writeWebhook(w, r, http.StatusCreated, h, secret)
}

func (s *WebhookHandlers) GetWebhook(w http.ResponseWriter, r *http.Request) {
	h, err := s.Webhooks.Webhook(r.Context(), edge.Caller(r).Workspace, webhookID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, "")
}

func (s *WebhookHandlers) UpdateWebhook(w http.ResponseWriter, r *http.Request) {
	var in api.WebhookPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	h, err := s.Webhooks.UpdateWebhook(r.Context(), edge.Caller(r).Workspace, webhookID(r), edge.IfMatch(r), in.Domain())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, "")
}

func (s *WebhookHandlers) DeleteWebhook(w http.ResponseWriter, r *http.Request) {
	if err := s.Webhooks.DeleteWebhook(r.Context(), edge.Caller(r).Workspace, webhookID(r), edge.IfMatch(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *WebhookHandlers) TestWebhook(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	result, err := s.Sending.TestWebhook(r.Context(), edge.Caller(r).Workspace, webhookID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.WebhookTestFrom(result))
}

func (s *WebhookHandlers) RotateWebhookSecret(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	h, secret, err := s.Sending.RotateSecret(r.Context(), edge.Caller(r).Workspace, webhookID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, secret)
}

func (s *WebhookHandlers) ListDeliveries(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	state, err := edge.OneOf(r, "state", outside.DeliveryDone, outside.DeliveryRetrying, outside.DeliveryFailed, outside.DeliverySkipped)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.WebhookDeliveryFrom, func(limit int) ([]*outside.WebhookDelivery, string, error) {
		return s.Sending.Deliveries(r.Context(), edge.Caller(r).Workspace, webhookID(r), state, after, limit)
	})
}

func (s *WebhookHandlers) ReplayWebhook(w http.ResponseWriter, r *http.Request) {
	var in api.WebhookReplay
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	h, err := s.Sending.ReplayWebhook(r.Context(), edge.Caller(r).Workspace, webhookID(r), *in.After)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeWebhook(w, r, http.StatusOK, h, "")
}

func (s *WebhookHandlers) writeWebhook(w http.ResponseWriter, r *http.Request, status int, h *outside.Webhook, secret string) {
	edge.SetETag(w, h.Version)
	s.WriteJSON(w, r, status, api.WebhookFrom(h, secret))
}

func webhookID(r *http.Request) string { return chi.URLParam(r, "webhook_id") }
