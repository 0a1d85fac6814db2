package handlers

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

var (
	inFrench  = []string{"Accept-Language", "fr-FR,fr;q=0.9,en;q=0.1"}
	inEnglish = []string{"Accept-Language", "en-GB,en;q=0.9,fr;q=0.2"}
)

// Two people of one workspace each read it in their language, whatever the workspace's is.
func TestTwoReadersOfOneWorkspace(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
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
		english, french := c.do(call.method, call.path, call.body, inEnglish...), c.do(call.method, call.path, call.body, inFrench...)
		if !strings.Contains(english.text, call.english) || strings.Contains(withoutTranslations(english.text), call.french) {
			t.Errorf("%s %s in English: %s", call.method, call.path, english.text)
		}
		if !strings.Contains(french.text, call.french) || strings.Contains(withoutTranslations(french.text), call.english) {
			t.Errorf("%s %s in French: %s", call.method, call.path, french.text)
		}
	}
	path, b := c.linkTo("apr_1", "ada@example.org"), &browser{t: t, c: c}
	if page := b.visit("GET", path, "", inFrench...).text; !strings.Contains(page, "Ajouter la zone « x »") || strings.Contains(page, "Add the zone") {
		t.Errorf("the page of the link: %s", page)
	}
	if page := b.visit("GET", path, "", inEnglish...).text; !strings.Contains(page, "Add the zone “x”") || strings.Contains(page, "Ajouter") {
		t.Errorf("the page of the link: %s", page)
	}
	// What the AI reads of it, and what binds an approval to its action, are the same for both.
	for _, field := range []string{`"digest":"[0-9a-z_A-Z+/=-]+"`, `"command":"CREATE_ZONE"`} {
		find := regexp.MustCompile(field)
		english := find.FindString(c.do("GET", "/v1/approvals/apr_1", "", inEnglish...).text)
		if french := find.FindString(c.do("GET", "/v1/approvals/apr_1", "", inFrench...).text); english == "" || english != french {
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
	c := newWorld(t).serve(t)
	c.want(200, "PATCH", "/v1/settings", `{"language":"fr"}`)
	if got := c.do("GET", "/v1/zones/zon_9", ""); got.status != http.StatusNotFound || got.body["detail"] != "Introuvable dans cet espace de travail : cette zone." {
		t.Errorf("%s", got.text)
	}
	if got := c.do("GET", "/v1/zones/zon_9", "", inEnglish...); got.body["detail"] != "There is no such zone in this workspace." {
		t.Errorf("%s", got.text)
	}
}

// Every problem, every mistake and everything that may be missing has words in French.
func TestEveryProblemHasWordsInFrench(t *testing.T) {
	for code, kind := range problemKinds {
		p := &problem{Code: code, Title: kind.Title, Detail: "English."}
		if p.inFrench(); problemsInFrench[code] == "" || p.Title == kind.Title || p.Detail == "English." || strings.HasSuffix(p.Title, ".") {
			t.Errorf("%s: %q, %q", code, p.Title, p.Detail)
		}
	}
	for code := range problemsInFrench {
		if _, known := problemKinds[code]; !known {
			t.Errorf("%s is no problem", code)
		}
	}
	mistakes := regexp.MustCompile(`\bInvalid\(\s*[^"` + "`" + `;{}]*?(?:"[^"]*"[^",;{}]*?)?,\s*"([a-z_]+)",`)
	missing := regexp.MustCompile(`\bNotFound\("([a-z ]+)"\)`)
	found := 0
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "web" || d.Name() == "node_modules" || d.Name() == "suite") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, part := range mistakes.FindAllSubmatch(text, -1) {
			if found++; mistakesInFrench[string(part[1])] == "" {
				t.Errorf("%s: the mistake %s has no words in French", path, part[1])
			}
		}
		for _, part := range missing.FindAllSubmatch(text, -1) {
			if found++; nounsInFrench[string(part[1])] == "" {
				t.Errorf("%s: %s has no name in French", path, part[1])
			}
		}
		return err
	})
	if err != nil || found < 200 {
		t.Errorf("%d found: %v", found, err)
	}
	for _, text := range problemsInFrench {
		if strings.HasPrefix(text, "The ") || !strings.HasSuffix(text, ".") && text != domain.Visible(text) {
			t.Error(text)
		}
	}
}
