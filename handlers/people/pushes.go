package people

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) PushKey(w http.ResponseWriter, r *http.Request) {
	key, err := s.Pushes.PushKey()
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.PushKey{PublicKey: key})
}

func (s *Handlers) ListPushes(w http.ResponseWriter, r *http.Request) {
	who := edge.Caller(r)
	all, err := s.Pushes.Pushes(r.Context(), who.Workspace, who.Name)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	list := api.PushSubscriptionList{Data: make([]api.PushSubscription, len(all))}
	for i, one := range all {
		list.Data[i] = *api.PushSubscriptionFrom(one)
	}
	s.WriteJSON(w, r, http.StatusOK, list)
}

func (s *Handlers) SubscribePush(w http.ResponseWriter, r *http.Request) {
	var in api.NewPushSubscriptionInput
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	ask := in.Domain()
	ask.WorkspaceID, ask.Person = who.Workspace, who.Name
	boundTo(&ask, who)
	p, made, err := s.Pushes.SubscribePush(r.Context(), ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
		w.Header().Set("Location", "/v1/me/push-subscriptions/"+p.ID)
	}
	s.WriteJSON(w, r, status, api.PushSubscriptionFrom(p))
}

// boundTo ties a subscription to what its owner came with. A key that is kept can be looked at: its
// sign-ins are worth what it is, and it takes the subscription along. What an issuer said, and the root
// key's sign-in, hold as long as the sign-in.
func boundTo(in *outside.NewPush, who *auth.Identity) {
	if who.SignIn != nil {
		in.SignIn = who.SignIn.ID
	}
	switch {
	case who.Key != nil:
		in.Until = who.Key.ExpiresAt
	case who.SignIn != nil:
		in.Until = &who.SignIn.ExpiresAt
	case who.Until() != nil:
		in.Until = who.Until()
	default:
		in.Unbound = true
	}
}

func (s *Handlers) DeletePush(w http.ResponseWriter, r *http.Request) {
	who := edge.Caller(r)
	if err := s.Pushes.DeletePush(r.Context(), who.Workspace, who.Name, pushID(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Handlers) TestPush(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	result, err := s.Pushes.TestPush(r.Context(), who.Workspace, who.Name, pushID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.WebhookTestFrom(result))
}

func pushID(r *http.Request) string { return chi.URLParam(r, "push_subscription_id") }
