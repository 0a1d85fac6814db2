package handlers

import (
	"html"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *connectorRoutes) signIn(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	begun, err := s.SignIn.SignIn(r.Context(), who.Workspace, connectorID(r), ownBrowser(r), who.Author())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	markBrowser(w, begun)
	w.Header().Set("Cache-Control", "no-store")
	s.writeJSON(w, r, http.StatusOK, api.ConnectorSignInFrom(begun))
}

// finishSignIn takes a person's browser back. What its address holds is good once, and goes
// to nobody else: the page refers nowhere and is kept nowhere.
func (s *connectorRoutes) finishSignIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var c *domain.Connector
	err := checkBrowser(w, r, q.Get("state"))
	if err == nil {
		c, err = s.SignIn.FinishSignIn(r.Context(), domain.SignInAnswer{
			State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error"),
		})
	}
	code := domain.Code("")
	if err != nil {
		code = domain.ErrorCode(err)
	}
	if err != nil {
		s.Log.Info().Err(err).Msg("a sign-in to a connector did not come about")
	}
	told := code == domain.CodeSignInOver || code == domain.CodeSignInFailed
	if err != nil && !(told && strings.Contains(r.Header.Get("Accept"), "text/html")) {
		s.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	words := inPreferredLanguage(r, &domain.Settings{Language: "en"})
	title, text := signInWords(words, c, code)
	status := http.StatusOK
	if err != nil {
		status = problemKinds[code].Status
	}
	writePageIn(w, words.Language, status, title, "<p>"+html.EscapeString(text)+"</p>")
}

// signInWords are the page that a person comes back to.
func signInWords(in *domain.Settings, c *domain.Connector, code domain.Code) (title, text string) {
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
			in.Say("The other server did not give what was asked for. Nothing was changed; begin again in Fermata.",
				"L’autre serveur n’a pas donné ce qui était demandé. Rien n’a été changé ; recommencez dans Fermata.")
	case c.Status != domain.ConnectorReady:
		return in.Say("You are signed in to %s", "Vous êtes connecté à %s", name),
			in.Say("Its commands could not be listed, though: %s Look at the connector in Fermata.",
				"Sa liste n’a pourtant pas pu être lue : %s Regardez le connecteur dans Fermata.", c.StatusDetail)
	}
	return in.Say("You are signed in to %s", "Vous êtes connecté à %s", name),
		in.Say("You can close this window and go back to Fermata: what waited for this goes on.",
			"Vous pouvez fermer cette fenêtre et revenir à Fermata : ce qui attendait cela continue.")
}
