package people

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListPasskeys(w http.ResponseWriter, r *http.Request) {
	who := edge.Caller(r)
	all, err := s.Passkeys.Passkeys(r.Context(), who.Workspace, who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	list := api.PasskeyList{Data: make([]api.Passkey, len(all))}
	for i, one := range all {
		list.Data[i] = *api.PasskeyFrom(one)
	}
	s.WriteJSON(w, r, http.StatusOK, list)
}

// inBrowser rejects requests with a key or a token in a header: a passkey belongs to a person. A person who has only
// a key can sign in with it in the web app.
func inBrowser(who *auth.Identity) error {
	if who.SignIn != nil || who.Method == auth.MethodLocal {
		return nil
	}
	return domain.Errorf(domain.CodeForbidden,
		"Passkeys are registered in a browser. Sign in to the web app (a key is enough) and register it there. Nothing was changed.")
}

func (s *Handlers) BeginPasskey(w http.ResponseWriter, r *http.Request) {
	who := edge.Caller(r)
	err := s.ReadEmpty(w, r)
	if err == nil {
		err = inBrowser(who)
	}
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	begun, err := s.Passkeys.Begin(r.Context(), who.Workspace, who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	s.WriteJSON(w, r, http.StatusOK, api.PasskeyToMakeFrom(begun))
}

func (s *Handlers) CreatePasskey(w http.ResponseWriter, r *http.Request) {
	var in api.NewPasskey
	who := edge.Caller(r)
	err := s.Read(w, r, &in)
	if err == nil {
		err = inBrowser(who)
	}
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	made, err := s.Passkeys.Finish(r.Context(), who.Workspace, who.Author(), in.Domain())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.Log.Info().Str("request_id", edge.RequestID(r)).Str("by", who.Name).Str("passkey", made.ID).Msg("a passkey was registered")
	w.Header().Set("Location", "/v1/me/passkeys/"+made.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.PasskeyFrom(made))
}

func (s *Handlers) DeletePasskey(w http.ResponseWriter, r *http.Request) {
	who := edge.Caller(r)
	if err := s.Passkeys.DeletePasskey(r.Context(), who.Workspace, who.Author(), chi.URLParam(r, "passkey_id")); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Handlers) ForgetPasskeys(w http.ResponseWriter, r *http.Request) {
	who, person := edge.Caller(r), chi.URLParam(r, "person_id")
	if err := s.Passkeys.ForgetPasskeys(r.Context(), who.Workspace, person); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.Log.Info().Str("request_id", edge.RequestID(r)).Str("by", who.Name).Str("person", person).Msg("the passkeys of a person were deleted")
	w.WriteHeader(http.StatusNoContent)
}
