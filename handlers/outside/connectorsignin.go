package outside

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/visible"
)

// confirmationPolicy allows the confirmation page its one form. No other page may embed it.
const confirmationPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *ConnectorHandlers) BeginSignIn(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	browser, secret := signInBrowser(r)
	begun, err := s.SignIn.SignIn(r.Context(), who.Workspace, connectorID(r), browser, who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	if begun.Bound {
		s.Cookies.SetConnectorSignIn(w, secret)
	}
	w.Header().Set("Cache-Control", "no-store")
	s.WriteJSON(w, r, http.StatusOK, api.ConnectorSignInFrom(begun))
}

// ReturnFromSignIn receives the browser that the authorization server redirects. A bound sign-in, and one that
// was declined, is finished at once; any other only after the person has confirmed it (ConfirmSignIn).
func (s *ConnectorHandlers) ReturnFromSignIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	answer := outside.SignInAnswer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}
	switch {
	case strings.HasPrefix(answer.State, outside.SignInOfBrowser):
		if !s.Cookies.TakeConnectorSignIn(w, r, answer.State) {
			s.endSignIn(w, r, nil, errOtherBrowser())
			return
		}
	case answer.Code != "":
		s.askToConfirm(w, r, answer, http.StatusOK)
		return
	}
	c, err := s.SignIn.FinishSignIn(r.Context(), answer)
	s.endSignIn(w, r, c, err)
}

// ConfirmSignIn receives the form of the confirmation page. The token in it proves that this browser was shown
// the page for this sign-in.
func (s *ConnectorHandlers) ConfirmSignIn(w http.ResponseWriter, r *http.Request) {
	sent, err := edge.ReadForm(w, r, maxSignInForm)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	answer := outside.SignInAnswer{State: sent.Get("state"), Code: sent.Get("code"), Issuer: sent.Get("iss")}
	switch {
	case strings.HasPrefix(answer.State, outside.SignInOfBrowser): // has no confirmation page
		s.endSignIn(w, r, nil, errOtherBrowser())
		return
	case !s.Cookies.Confirmed(r, sent.Get("token"), answer.State, answer.Code, answer.Issuer):
		s.askToConfirm(w, r, answer, http.StatusForbidden)
		return
	}
	c, err := s.SignIn.FinishSignIn(r.Context(), answer)
	s.endSignIn(w, r, c, err)
}

// maxSignInForm is more than a code and a state need: both arrived in an address.
const maxSignInForm = 64 << 10

// askToConfirm writes the confirmation page. Nothing of the sign-in is used up by that.
func (s *ConnectorHandlers) askToConfirm(w http.ResponseWriter, r *http.Request, answer outside.SignInAnswer, status int) {
	pending, err := s.SignIn.PendingSignIn(r.Context(), answer.State)
	if err != nil {
		s.endSignIn(w, r, nil, err)
		return
	}
	token := s.Cookies.ConfirmationToken(w, r, answer.State, answer.Code, answer.Issuer)
	in := edge.InPreferredLanguage(r, &domain.Settings{Language: "en"})
	var page strings.Builder
	paragraph := func(text string) { fmt.Fprintf(&page, "<p>%s</p>", html.EscapeString(text)) }
	if status != http.StatusOK {
		paragraph(in.Say("Your browser did not send this site’s cookie. Allow it, then confirm again.",
			"Votre navigateur n’a pas envoyé le cookie de ce site. Autorisez-le, puis confirmez de nouveau."))
	}
	paragraph(in.Say("If you continue, the workspace %s can use this server with your rights.",
		"Si vous continuez, l’espace de travail %s pourra utiliser ce serveur avec vos droits.", visible.Line(pending.Connector.WorkspaceID)))
	page.WriteString("<table>")
	for _, row := range [][2]string{
		{in.Say("Connector", "Connecteur"), pending.Connector.Name},
		{in.Say("Server", "Serveur"), pending.Server},
		{in.Say("Workspace", "Espace de travail"), pending.Connector.WorkspaceID},
		{in.Say("Begun by", "Commencé par"), nameOf(pending.BegunBy)},
	} {
		if row[1] != "" {
			fmt.Fprintf(&page, "<tr><th>%s</th><td>%s</td></tr>", html.EscapeString(row[0]), html.EscapeString(visible.Line(row[1])))
		}
	}
	page.WriteString("</table>")
	paragraph(in.Say("Continue only if you know this workspace and wanted to sign in for it. Otherwise close this window.",
		"Ne continuez que si vous connaissez cet espace de travail et vouliez vous connecter pour lui. Sinon, fermez cette fenêtre."))
	page.WriteString(`<form method="post" action="callback">`)
	for _, field := range [][2]string{{"state", answer.State}, {"code", answer.Code}, {"iss", answer.Issuer}, {"token", token}} {
		fmt.Fprintf(&page, `<input type="hidden" name="%s" value="%s">`, field[0], html.EscapeString(field[1]))
	}
	fmt.Fprintf(&page, `<button>%s</button></form>`, html.EscapeString(in.Say("Continue", "Continuer")))
	signInHeaders(w.Header())
	w.Header().Set("Content-Security-Policy", confirmationPolicy)
	edge.WriteHTMLIn(w, in.Language, status,
		in.Say("Connect %s?", "Connecter %s ?", visible.Line(pending.Connector.Name)), page.String())
}

// nameOf is the author's name; without one, the id.
func nameOf(a domain.Author) string {
	if a.Name != "" && a.Name != a.ID {
		return a.Name + " (" + a.ID + ")"
	}
	return a.ID
}

// signInHeaders keeps the code and the state in the page's address out of caches and referrers.
func signInHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // a browser without Sec-Fetch-Site names the form's origin by it
}

// endSignIn writes the page that ends a sign-in. Errors other than those of the sign-in itself, and all errors
// for programs, are problems as everywhere else.
func (s *ConnectorHandlers) endSignIn(w http.ResponseWriter, r *http.Request, c *outside.Connector, err error) {
	code := domain.Code("")
	if err != nil {
		code = domain.ErrorCode(err)
		s.Log.Info().Err(err).Msg("a sign-in to a connector failed")
	}
	hasPage := code == domain.CodeSignInOver || code == domain.CodeSignInFailed
	if err != nil && !(hasPage && strings.Contains(r.Header.Get("Accept"), "text/html")) {
		s.Fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	language := edge.InPreferredLanguage(r, &domain.Settings{Language: "en"})
	title, text := signInText(language, c, code)
	status := http.StatusOK
	if err != nil {
		status = edge.FailureOf(err).Status
	}
	edge.WriteHTMLIn(w, language.Language, status, title, "<p>"+html.EscapeString(text)+"</p>")
}

// signInText is the text of the page that ends a sign-in.
func signInText(in *domain.Settings, c *outside.Connector, code domain.Code) (title, text string) {
	name := ""
	if c != nil {
		name = c.Name
	}
	switch {
	case code == domain.CodeSignInOver:
		return in.Say("This sign-in is over", "Cette connexion n’est plus valable"),
			in.Say("It was not begun in this browser, was finished before, or took more than a quarter of an hour. Begin it again in Fermata.",
				"Elle n’a pas été commencée dans ce navigateur, est déjà terminée ou a pris plus d’un quart d’heure. Recommencez-la dans Fermata.")
	case code != "":
		return in.Say("You are not signed in to %s", "Vous n’êtes pas connecté à %s", name),
			in.Say("The other server did not complete the sign-in. Nothing was changed; begin again in Fermata.",
				"L’autre serveur n’a pas terminé la connexion. Rien n’a été changé ; recommencez dans Fermata.")
	case c.Status != outside.ConnectorReady:
		return in.Say("You are signed in to %s", "Vous êtes connecté à %s", name),
			in.Say("Its commands could not be listed, though: %s Check the connector in Fermata.",
				"Sa liste n’a pourtant pas pu être lue : %s Vérifiez le connecteur dans Fermata.", c.StatusDetail)
	}
	return in.Say("You are signed in to %s", "Vous êtes connecté à %s", name),
		in.Say("You can close this window and return to Fermata. Sessions that waited for this sign-in continue.",
			"Vous pouvez fermer cette fenêtre et revenir à Fermata. Les sessions qui attendaient cette connexion continuent.")
}
