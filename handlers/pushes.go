package handlers

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Pushes stores the browsers that receive push notifications. One of another person is a domain
// not_found error.
type Pushes interface {
	PushKey() (string, error)
	Pushes(ctx context.Context, ws, person string) ([]*outside.Push, error)
	SubscribePush(ctx context.Context, in outside.NewPush) (p *outside.Push, made bool, err error)
	DeletePush(ctx context.Context, ws, person, id string) error
	// TestPush sends one push. That it does not arrive is no error: it is in the result.
	TestPush(ctx context.Context, ws, person, id string) (*outside.WebhookTest, error)
}

func (s *peopleRoutes) pushKey(w http.ResponseWriter, r *http.Request) {
	key, err := s.Pushes.PushKey()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.PushKey{PublicKey: key})
}

func (s *peopleRoutes) listPushes(w http.ResponseWriter, r *http.Request) {
	who := caller(r)
	all, err := s.Pushes.Pushes(r.Context(), who.Workspace, who.Name)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	list := api.PushSubscriptionList{Data: make([]api.PushSubscription, len(all))}
	for i, one := range all {
		list.Data[i] = *api.PushSubscriptionFrom(one)
	}
	s.writeJSON(w, r, http.StatusOK, list)
}

func (s *peopleRoutes) subscribePush(w http.ResponseWriter, r *http.Request) {
	var in api.NewPushSubscriptionInput
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	ask := in.Domain()
	ask.WorkspaceID, ask.Person = who.Workspace, who.Name
	boundTo(&ask, who)
	p, made, err := s.Pushes.SubscribePush(r.Context(), ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
		w.Header().Set("Location", "/v1/me/push-subscriptions/"+p.ID)
	}
	s.writeJSON(w, r, status, api.PushSubscriptionFrom(p))
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

func (s *peopleRoutes) deletePush(w http.ResponseWriter, r *http.Request) {
	who := caller(r)
	if err := s.Pushes.DeletePush(r.Context(), who.Workspace, who.Name, pushID(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *peopleRoutes) testPush(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	result, err := s.Pushes.TestPush(r.Context(), who.Workspace, who.Name, pushID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.WebhookTestFrom(result))
}

func pushID(r *http.Request) string { return chi.URLParam(r, "push_subscription_id") }
