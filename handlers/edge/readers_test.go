package edge_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

var (
	inFrench  = []string{"Accept-Language", "fr-FR,fr;q=0.9,en;q=0.1"}
	inEnglish = []string{"Accept-Language", "en-GB,en;q=0.9,fr;q=0.2"}
)

// Two people of one workspace each read it in their language, whatever the workspace's is.
func TestTwoReadersOfOneWorkspace(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	for _, call := range []struct{ method, path, body, english, french string }{
		{"GET", "/v1/approvals", "", "Add the zone “x”", "Ajouter la zone « x »"},
		{"GET", "/v1/approvals?status=open", "", "This session asks for every action.", "Cette session demande un accord pour chaque action."},
		{"GET", "/v1/approvals/apr_1", "", "Add the zone “x”", "Ajouter la zone « x »"},
		{"GET", "/v1/sessions/ses_1/messages", "", "The actions were not run: a person had to approve them", "Les actions n’ont pas été exécutées"},
		{"GET", "/v1/sessions/ses_1/export", "", "Add the zone “x”", "Ajouter la zone « x »"},
		{"GET", "/v1/sessions/ses_1/export?format=markdown", "", "Add the zone “x”", "Ajouter la zone « x »"},
		{"GET", "/v1/zones/zon_9", "", "There is no such zone in this workspace.", "Introuvable dans cet espace de travail : cette zone."},
		{"POST", "/v1/zones", `{"name":""}`, "This must not be empty.", "Cela ne doit pas être vide."},
		{"POST", "/v1/schedules/preview", `{"schedule":{"type":"cron","expression":"0 8 * * 1-5","time_zone":"Europe/Paris"}}`,
			"Monday to Friday at 08:00", "du lundi au vendredi à 08:00"},
	} {
		english, french := c.Do(call.method, call.path, call.body, inEnglish...), c.Do(call.method, call.path, call.body, inFrench...)
		if !strings.Contains(english.Text, call.english) || strings.Contains(withoutTranslations(english.Text), call.french) {
			t.Errorf("%s %s in English: %s", call.method, call.path, english.Text)
		}
		if !strings.Contains(french.Text, call.french) || strings.Contains(withoutTranslations(french.Text), call.english) {
			t.Errorf("%s %s in French: %s", call.method, call.path, french.Text)
		}
	}
	path, b := c.LinkTo("apr_1", "ada@example.org"), &servertest.Browser{T: t, C: c}
	if page := b.Visit("GET", path, "", inFrench...).Text; !strings.Contains(page, "Ajouter la zone « x »") || strings.Contains(page, "Add the zone") {
		t.Errorf("the page of the link: %s", page)
	}
	if page := b.Visit("GET", path, "", inEnglish...).Text; !strings.Contains(page, "Add the zone “x”") || strings.Contains(page, "Ajouter") {
		t.Errorf("the page of the link: %s", page)
	}
	// What the AI reads of it, and what binds an approval to its action, are the same for both.
	for _, field := range []string{`"digest":"[0-9a-z_A-Z+/=-]+"`, `"command":"CREATE_ZONE"`} {
		find := regexp.MustCompile(field)
		english := find.FindString(c.Do("GET", "/v1/approvals/apr_1", "", inEnglish...).Text)
		if french := find.FindString(c.Do("GET", "/v1/approvals/apr_1", "", inFrench...).Text); english == "" || english != french {
			t.Errorf("%q and %q", english, french)
		}
	}
}

// withoutTranslations leaves out what a message shows beside what the AI reads.
func withoutTranslations(text string) string {
	return regexp.MustCompile(`"translations":\{[^{}]*\}`).ReplaceAllString(text, "")
}

// Who names no language reads the workspace's, in problems too.
func TestProblemsInTheWorkspacesLanguage(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	c.Want(200, "PATCH", "/v1/settings", `{"language":"fr"}`)
	if got := c.Do("GET", "/v1/zones/zon_9", ""); got.Status != http.StatusNotFound || got.Body["detail"] != "Introuvable dans cet espace de travail : cette zone." {
		t.Errorf("%s", got.Text)
	}
	if got := c.Do("GET", "/v1/zones/zon_9", "", inEnglish...); got.Body["detail"] != "There is no such zone in this workspace." {
		t.Errorf("%s", got.Text)
	}
}
