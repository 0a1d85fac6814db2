package sessions

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/linkpage"
)

// LinkPorts are what signed links to approvals are made with.
type LinkPorts struct {
	Links *auth.Links
	// Withdraw ends every link to an approval of a workspace that was made so far.
	Withdraw func(ctx context.Context, workspace, approval string) error
}

// LinkHandlers make links, and show and take what comes by them.
type LinkHandlers struct {
	*edge.Edge
	LinkPorts
	Reader   WorkspaceReader
	Answers  Answers
	Settings SettingsReader
}

// maxLinkForm is more than the longest answer takes, written as forms write it.
const maxLinkForm = 1 << 20

// CreateLink makes a link to an open approval.
func (s *LinkHandlers) CreateLink(w http.ResponseWriter, r *http.Request) {
	var in api.NewApprovalLink
	if err := s.ReadOptional(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	a, err := s.Reader.Approval(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "approval_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	if a.Status != domain.ApprovalStatusOpen {
		s.Fail(w, r, &domain.Error{Code: domain.CodeValidationResolved, Decision: string(a.Decision),
			Message: "This was settled already (" + string(a.Status) + "). No link was made."})
		return
	}
	recipient := ""
	if in.Recipient != nil {
		recipient = strings.TrimSpace(*in.Recipient)
	}
	if len(recipient) > people.MaxLinkRecipient {
		s.Fail(w, r, domain.Invalid("/recipient", "too_long", "A recipient has at most %d bytes.", people.MaxLinkRecipient))
		return
	}
	link, err := people.LinkTo(a, recipient, s.Clock())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	token, err := s.Links.Sign(link)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/a/"+token)
	s.WriteJSON(w, r, http.StatusCreated, api.ApprovalLinkFrom(baseURL(s.PublicURL, r)+"/a/"+token, link))
}

// WithdrawLinks ends every link to an approval.
func (s *LinkHandlers) WithdrawLinks(w http.ResponseWriter, r *http.Request) {
	if err := s.Withdraw(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "approval_id")); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// baseURL is where browsers reach the server: as the operator says, else as this request did.
func baseURL(public string, r *http.Request) string {
	if public != "" {
		return public
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// followed is the link of a request, with its approval.
type followed struct {
	token    string
	link     *people.ApprovalLink
	approval *domain.Approval
	words    *domain.Settings // in the reader's language
}

// follow reads the link that a request came by. Calls with a good link count for its
// approval alone, those without one for the address, as those of webhooks do.
func (s *LinkHandlers) follow(w http.ResponseWriter, r *http.Request) (*followed, error) {
	token := chi.URLParam(r, "token")
	link, err := s.Links.Read(token)
	bucket := s.Hooks.Genuine
	var name string
	if errors.Is(err, auth.ErrNoLink) {
		bucket, name = s.Hooks.Forged, edge.LimitKey(r)
	} else {
		name = link.ApprovalID
	}
	if wait, ok := bucket.Take(name); !ok {
		return nil, s.Refusals.TooMany(w, r, wait)
	}
	if err != nil {
		return nil, err
	}
	workspace, err := s.Settings.Workspace(r.Context(), link.WorkspaceID)
	if err != nil {
		return nil, err
	}
	a, err := s.Reader.Approval(r.Context(), link.WorkspaceID, link.ApprovalID)
	if err != nil {
		return nil, err
	}
	if !link.Leads(a) {
		return nil, auth.ErrNoLink
	}
	return &followed{token, link, a, edge.InPreferredLanguage(r, &workspace.Settings)}, nil
}

// ShowLink shows the approval and changes nothing. A HEAD request and a prefetch get no form.
func (s *LinkHandlers) ShowLink(w http.ResponseWriter, r *http.Request) {
	f, err := s.follow(w, r)
	if err != nil {
		s.failLink(w, r, err)
		return
	}
	s.writeCard(w, r, f, http.StatusOK, "")
}

// AnswerLink takes an answer that a person gave on the page.
func (s *LinkHandlers) AnswerLink(w http.ResponseWriter, r *http.Request) {
	f, err := s.follow(w, r)
	if err != nil {
		s.failLink(w, r, err)
		return
	}
	sent, err := edge.ReadForm(w, r, maxLinkForm)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	if f.approval.Status != domain.ApprovalStatusOpen {
		s.backToLink(w, f) // a double click, or another person was faster: the card has the decision
		return
	}
	if !s.pressed(r, f, sent) {
		s.writeCard(w, r, f, http.StatusForbidden, f.words.Say(
			"Nothing was decided: the answer did not come from a button that was pressed on this page. Press it here, "+
				"and let the browser keep this site’s cookie.",
			"Rien n’a été décidé : la réponse ne vient pas d’un bouton pressé sur cette page. Pressez-le ici, "+
				"et laissez le navigateur garder le cookie de ce site."))
		return
	}
	d, err := linkpage.Decision(f.approval, sent)
	if err == nil {
		d.By = f.link.Author()
		_, err = s.Answers.AnswerApproval(r.Context(), f.link.WorkspaceID, f.link.ApprovalID, d)
	}
	s.afterAnswer(w, r, f, err)
}

// afterAnswer redirects to the card, which shows the result.
func (s *LinkHandlers) afterAnswer(w http.ResponseWriter, r *http.Request, f *followed, err error) {
	known, _ := errors.AsType[*domain.Error](err)
	switch code := domain.ErrorCode(err); {
	case err == nil, code == domain.CodeValidationResolved, code == domain.CodeApprovalExpired, code == domain.CodeWrongPhase:
		s.backToLink(w, f)
	case code == domain.CodeValidationStale:
		s.writeCard(w, r, f, http.StatusConflict, f.words.Say(
			"The data has changed since this page was shown. Nothing was done; please review it again.",
			"Ce qui vous était montré a changé entre-temps. Rien n’a été fait ; la question est reposée."))
	case code == domain.CodePasskeyRequired:
		s.writeCard(w, r, f, http.StatusForbidden, f.words.Say(
			"Approving this needs a passkey, in Fermata itself. Nothing was decided; you can refuse it here.",
			"Un oui à ceci se signe avec une clé d’accès, par quelqu’un de connecté à Fermata. Rien n’a été décidé ; vous pouvez le refuser ici."))
	case code == domain.CodeInvalid && known != nil:
		s.writeCard(w, r, f, http.StatusUnprocessableEntity, f.words.Say(
			"This answer is not valid: %s Nothing was decided.", "Cette réponse ne peut être prise : %s Rien n’a été décidé.",
			reasonOf(known)))
	default:
		s.Fail(w, r, err)
	}
}

// reasonOf is the first thing that is wrong with an answer.
func reasonOf(err *domain.Error) string {
	if len(err.Fields) > 0 {
		return err.Fields[0].Message
	}
	return err.Message
}

// pressed says whether an answer comes from the page as this browser was shown it, by a
// person's hand. Of a browser that says how it came to ask, only a page of ours that goes
// somewhere counts.
func (s *LinkHandlers) pressed(r *http.Request, f *followed, sent url.Values) bool {
	for header, good := range map[string]string{
		"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
	} {
		if said := r.Header.Get(header); said != "" && said != good {
			return false
		}
	}
	return !fetchedAhead(r) &&
		s.Links.Pressed(f.token, s.Cookies.LinkBrowser(r), sent.Get("at"), sent.Get("nonce"), sent.Get("figures"))
}
