package people

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// maxMyWorkspaces bounds the workspaces that GET /v1/me names.
const maxMyWorkspaces = 200

// beginsWithin is the lifetime of the cookie of a sign-in in progress at the issuer.
const beginsWithin = 10 * time.Minute

func (s *Handlers) Me(w http.ResponseWriter, r *http.Request) {
	me, err := s.meOf(r, edge.Caller(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, me)
}

func (s *Handlers) meOf(r *http.Request, id *auth.Identity) (*api.Me, error) {
	me := &api.Me{
		ID: id.Name, Person: id.Person, Name: id.Title, Method: api.CallerMethod(id.Method), Role: id.Role, Workspace: id.Workspace,
		Workspaces: []api.MyWorkspace{},
	}
	ends := []*time.Time{id.Until()}
	if id.Key != nil {
		me.Key = api.KeyFrom(id.Key)
		ends = append(ends, id.Key.ExpiresAt)
	}
	if id.SignIn != nil {
		me.Session = api.SignInFrom(id.SignIn, id.SignIn.ID)
		ends = append(ends, &id.SignIn.ExpiresAt)
	}
	me.ExpiresAt = api.Earliest(ends...)
	mine, err := s.workspacesOf(r, id)
	for _, workspace := range mine[:min(len(mine), maxMyWorkspaces)] {
		me.Workspaces = append(me.Workspaces, api.MyWorkspace{ID: workspace.ID, Name: workspace.Name})
	}
	return me, err
}

func (s *Handlers) workspacesOf(r *http.Request, id *auth.Identity) ([]*domain.Workspace, error) {
	names := id.Workspaces()
	if names == nil {
		return s.Workspaces.Workspaces(r.Context()) //nolint:wrapcheck // the store's own words
	}
	var mine []*domain.Workspace
	for _, name := range names {
		workspace, err := s.Workspaces.Workspace(r.Context(), name)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // the store's own words
		}
		mine = append(mine, workspace)
	}
	return mine, nil
}

func (s *Handlers) WaysIn(w http.ResponseWriter, r *http.Request) {
	ways := api.SignInWays{Key: true}
	if s.Issuer != nil {
		ways.Oidc = &api.OIDCWay{Issuer: s.Issuer.Issuer(), URL: "/v1/sign-in/oidc"}
	}
	s.WriteJSON(w, r, http.StatusOK, ways)
}

func (s *Handlers) SignInWithKey(w http.ResponseWriter, r *http.Request) {
	var in api.KeySignIn
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	opened, err := s.SignIns.SignInByKey(r, strings.TrimSpace(in.Key))
	s.tried(string(people.SignInKey), err)
	if err != nil {
		s.Fail(w, r, s.slowDown(w, r, err))
		return
	}
	s.welcome(w, r, opened)
	me, err := s.meOf(r, opened.Identity)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, me)
}

// welcome gives the browser its cookie.
func (s *Handlers) welcome(w http.ResponseWriter, r *http.Request, opened *auth.Opened) {
	if opened.Identity.Workspace == "" {
		opened.Identity.Workspace = opened.SignIn.WorkspaceID
	}
	s.Cookies.SetSignIn(w, opened)
	s.Log.Info().Str("request_id", edge.RequestID(r)).Str("by", opened.Identity.Name).Str("sign_in", opened.SignIn.ID).
		Str("method", string(opened.SignIn.Method)).Str("workspace", opened.SignIn.WorkspaceID).Msg("signed in")
}

// tried counts an attempt.
func (s *Handlers) tried(method string, err error) {
	if s.Metrics == nil {
		return
	}
	outcome := "ok"
	if err != nil {
		outcome = string(edge.FailureOf(err).Code)
	}
	s.Metrics.SignIn(method, outcome)
}

// slowDown limits failed sign-ins per address, like bad keys.
func (s *Handlers) slowDown(w http.ResponseWriter, r *http.Request, err error) error {
	if status := edge.FailureOf(err).Status; status != http.StatusUnauthorized && status != http.StatusForbidden {
		return err
	}
	if wait, ok := s.Failures.Take(edge.LimitKey(r)); !ok {
		return s.Refusals.TooMany(w, r, wait)
	}
	return err
}

func (s *Handlers) BeginSignIn(w http.ResponseWriter, r *http.Request) {
	if s.Issuer == nil {
		s.Fail(w, r, domain.Errorf(domain.CodeNoIssuer, "This server has no issuer. Sign in with a key."))
		return
	}
	to, cookie, err := s.Issuer.Begin(r.Context(), ownPath(s.PublicPath.Trim(r.URL.Query().Get("return_to"))))
	if err != nil {
		s.tried(string(people.SignInOIDC), err)
		s.back(w, r, err)
		return
	}
	s.Cookies.SetBegun(w, cookie, beginsWithin)
	edge.SeeOther(w, to)
}

func (s *Handlers) EndSignIn(w http.ResponseWriter, r *http.Request) {
	if s.Issuer == nil {
		s.Fail(w, r, domain.Errorf(domain.CodeNoIssuer, "This server has no issuer. Sign in with a key."))
		return
	}
	// The rate limit comes before the request to the issuer: only that request shows whether the code is valid, and
	// it uses this server's own secret.
	address := edge.LimitKey(r)
	if wait, ok := s.SignInReturns.Take(address); !ok {
		s.Fail(w, r, s.Refusals.TooMany(w, r, wait))
		return
	}
	person, returnTo, err := s.Issuer.Finish(r.Context(), s.Cookies.TakeBegun(w, r), r.URL.Query())
	var opened *auth.Opened
	if err == nil {
		opened, err = s.SignIns.SignInPerson(r, person)
	}
	s.tried(string(people.SignInOIDC), err)
	if err != nil {
		s.back(w, r, err)
		return
	}
	s.SignInReturns.PutBack(address) // behind a proxy, everybody has one address
	s.welcome(w, r, opened)
	edge.SeeOther(w, s.PublicURL+ownPath(returnTo))
}

// back redirects a browser whose sign-in failed to the page, which explains the error in the reader's language.
// Programs get a problem.
func (s *Handlers) back(w http.ResponseWriter, r *http.Request, err error) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.Fail(w, r, err)
		return
	}
	p := edge.FailureOf(err)
	s.Log.Warn().Err(err).Str("request_id", edge.RequestID(r)).Str("code", string(p.Code)).Msg("a sign-in failed")
	// Only the code: a crafted address must not be able to put text on the page.
	about := url.Values{"problem": {string(p.Code)}, "request_id": {edge.RequestID(r)}}
	edge.SeeOther(w, s.PublicURL+"/#/sign-in?"+about.Encode())
}

// ownPath returns the path if it belongs to this server, and "/" otherwise: a link to the sign-in must not redirect
// to another site.
func ownPath(path string) string {
	const most, start = 1000, "/"
	odd := func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }
	if len(path) > most || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, odd) {
		return start
	}
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(u.Path, "//") || strings.HasPrefix(u.Path, "/v1/") {
		return start
	}
	return u.String()
}

func (s *Handlers) SignOut(w http.ResponseWriter, r *http.Request) {
	if err := s.SignIns.EndThis(r); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.Cookies.ClearSignIn(w)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Handlers) ListSignIns(w http.ResponseWriter, r *http.Request) {
	id := edge.Caller(r)
	all, err := s.SignIns.SignInsOf(r.Context(), id)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	current := ""
	if id.SignIn != nil {
		current = id.SignIn.ID
	}
	list := api.SignInList{Data: make([]api.SignIn, len(all))}
	for i, one := range all {
		list.Data[i] = *api.SignInFrom(one, current)
	}
	s.WriteJSON(w, r, http.StatusOK, list)
}

func (s *Handlers) EndSignIns(w http.ResponseWriter, r *http.Request) {
	if err := s.SignIns.EndSignIn(r.Context(), edge.Caller(r), ""); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.Cookies.ClearSignIn(w)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Handlers) EndSignInByID(w http.ResponseWriter, r *http.Request) {
	id, gone := edge.Caller(r), chi.URLParam(r, "sign_in_id")
	if err := s.SignIns.EndSignIn(r.Context(), id, gone); err != nil {
		s.Fail(w, r, err)
		return
	}
	if id.SignIn != nil && id.SignIn.ID == gone {
		s.Cookies.ClearSignIn(w)
	}
	w.WriteHeader(http.StatusNoContent)
}
