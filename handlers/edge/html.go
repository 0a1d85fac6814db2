package edge

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// ContentPolicy prevents browsers from running any content that is not the server's own.
const ContentPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

func WriteHTML(w http.ResponseWriter, title, body string) {
	WriteHTMLIn(w, "en", http.StatusOK, title, body)
}

func WriteHTMLIn(w http.ResponseWriter, language string, status int, title, body string) {
	title = html.EscapeString(title)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// title is escaped, and body and language are the server's own.
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="%[3]s"><meta charset="utf-8"><meta name="viewport" content="width=device-width">`+
		`<title>%[1]s</title><style>body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:3rem auto;padding:0 1rem}`+
		`td,th{text-align:left;padding:.2rem 1rem .2rem 0}</style>`+
		`<h1>%[1]s</h1>%[2]s</html>`, title, body, language) // the reader may have gone
}

func SeeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// ReadForm reads a form of at most so many bytes.
func ReadForm(w http.ResponseWriter, r *http.Request, most int64) (url.Values, error) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if strings.TrimSpace(strings.ToLower(kind)) != "application/x-www-form-urlencoded" {
		return nil, domain.Errorf(CodeUnsupportedType, "The body must be a form (application/x-www-form-urlencoded).")
	}
	body, err := WholeBody(w, r, most)
	if err != nil {
		return nil, IncompleteBody(err)
	}
	sent, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, domain.Errorf(CodeUnreadable, "The form cannot be read.")
	}
	for _, values := range sent {
		if slices.ContainsFunc(values, func(v string) bool { return !plainText(v) }) {
			return nil, domain.Errorf(CodeUnreadable, "A field of the form is not text: it has a NUL or is not UTF-8.")
		}
	}
	return sent, nil
}
