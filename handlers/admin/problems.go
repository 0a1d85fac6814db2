package admin

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// ProblemPage serves GET /problems/{code}: what the type of a problem leads to. It is
// made of the table that the answers are made of.
func (s *Handlers) ProblemPage(w http.ResponseWriter, r *http.Request) {
	code := domain.Code(strings.Trim(strings.TrimPrefix(r.URL.Path, "/problems"), "/"))
	kind, known := edge.ProblemKinds[code]
	switch {
	case known:
		edge.WriteHTML(
			w,
			kind.Title,
			fmt.Sprintf("<p><code>%s</code>, HTTP status %d.</p><p>%s</p>%s<p><a href=\"../problems\">All problems</a></p>",
				html.EscapeString(string(code)), kind.Status, html.EscapeString(kind.Page), retryText(kind)),
		)
	case code == "":
		edge.WriteHTML(w, "Problems", problemList())
	default:
		s.NotFound(w, r)
	}
}

func retryText(k edge.ProblemKind) string {
	if k.RetryAfter == 0 {
		return ""
	}
	return "<p>The same request may succeed later; the header <code>Retry-After</code> says when to try.</p>"
}

func problemList() string {
	var b strings.Builder
	b.WriteString("<table><tr><th>code</th><th>status</th><th>meaning</th></tr>")
	for _, code := range problemCodes() {
		fmt.Fprintf(&b, "<tr><td><a href=\"problems/%[1]s\"><code>%[1]s</code></a></td><td>%d</td><td>%s</td></tr>",
			code, edge.ProblemKinds[code].Status, html.EscapeString(edge.ProblemKinds[code].Title))
	}
	return b.String() + "</table>"
}

// problemCodes are all there are, by status.
func problemCodes() []domain.Code {
	return slices.SortedFunc(maps.Keys(edge.ProblemKinds), func(a, b domain.Code) int {
		return cmp.Or(cmp.Compare(edge.ProblemKinds[a].Status, edge.ProblemKinds[b].Status), cmp.Compare(a, b))
	})
}
