package sessions

import (
	"errors"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/linkpage"
	"github.com/fermata-dev/fermata/internal/visible"
)

// backToLink has the browser ask for the card again.
func (s *LinkHandlers) backToLink(w http.ResponseWriter, f *followed) {
	linkHeaders(w.Header(), f.words.Language)
	edge.SeeOther(w, "/a/"+f.token)
}

// linkHeaders: the address is a secret, so it goes nowhere else and is kept nowhere. The
// page itself needs the origin of its form, which browsers send in a referrer only.
func linkHeaders(h http.Header, language string) {
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Content-Security-Policy", linkpage.Policy)
	h.Set("Content-Language", language)
}

// writeCard shows the approval as it is, and how to answer it.
func (s *LinkHandlers) writeCard(w http.ResponseWriter, r *http.Request, f *followed, status int, notice string) {
	page := linkpage.Of(f.approval.In(f.words.Language), f.link, f.words)
	page.Notice = visible.Text(notice)
	if f.approval.Status == domain.ApprovalStatusOpen {
		s.ask(w, r, f, page)
	}
	s.writeLinkPage(w, r, status, page)
}

// ask puts the form into the page, unless the browser only prefetches it.
func (s *LinkHandlers) ask(w http.ResponseWriter, r *http.Request, f *followed, page *linkpage.Page) {
	address := string(s.PublicPath) + "/a/" + f.token
	form := linkpage.FormFor(f.approval.In(f.words.Language), f.words)
	switch {
	case form == nil:
		page.Text = strings.TrimSpace(page.Text + "\n\n" + f.words.Say("It has fields to fill in: answer it in Fermata itself.",
			"Il y a des champs à remplir : répondez dans Fermata même."))
		return
	case r.Method == http.MethodHead, fetchedAhead(r):
		page.Again = address
		return
	}
	browser := s.Cookies.LinkBrowser(r)
	if browser == "" {
		browser = auth.NewBrowser()
		s.Cookies.SetLinkBrowser(w, browser)
	}
	shown := s.Links.Shown(f.token, browser, s.Clock())
	page.Ask(form, address, shown.At(), shown.Nonce(), shown.Figures())
}

func (s *LinkHandlers) writeLinkPage(w http.ResponseWriter, r *http.Request, status int, page *linkpage.Page) {
	body, err := linkpage.Render(page)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	linkHeaders(w.Header(), page.Language)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) //nolint:gosec // html/template escaped it; the reader may have gone
	}
}

// failLink writes the error for a link: a page for browsers, a problem for programs.
func (s *LinkHandlers) failLink(w http.ResponseWriter, r *http.Request, err error) {
	words := edge.InPreferredLanguage(r, &domain.Settings{Language: "en"})
	page := &linkpage.Page{Language: words.Language}
	status := http.StatusNotFound
	switch {
	case errors.Is(err, auth.ErrLinkExpired):
		status = http.StatusGone
		page.Title = words.Say("This link has expired", "Ce lien a expiré")
		page.Text = words.Say("It can no longer be used to answer. Request another link, or open Fermata.",
			"Il ne décide plus de rien. Demandez un autre lien, ou regardez dans Fermata.")
		err = domain.Errorf(edge.CodeLinkExpired, "The link has expired.")
	case errors.Is(err, auth.ErrNoLink), domain.ErrorCode(err) == domain.CodeNotFound:
		page.Title = words.Say("This link is not valid", "Ce lien ne mène nulle part")
		page.Text = words.Say("It was truncated or altered, or its approval no longer exists. Open it exactly as it was sent.",
			"Il a été coupé ou modifié en route, ou ce qu’il demandait n’existe plus. Ouvrez-le tel qu’il a été envoyé.")
		err = domain.Errorf(domain.CodeNotFound, "There is nothing at this address.")
	default:
		s.Fail(w, r, err)
		return
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.Fail(w, r, err)
		return
	}
	s.writeLinkPage(w, r, status, page)
}

// fetchedAhead reports whether a browser or a proxy prefetches the page.
func fetchedAhead(r *http.Request) bool {
	for _, header := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		said := strings.ToLower(r.Header.Get(header))
		if strings.Contains(said, "prefetch") || strings.Contains(said, "prerender") || strings.Contains(said, "preview") {
			return true
		}
	}
	return false
}
