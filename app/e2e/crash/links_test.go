package crash

import (
	"net/url"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// presses answers the open approval by a link, as a person does who opens it again when no
// answer came.
func (p *player) presses(answer string) {
	p.t.Helper()
	id := p.get("/v1/approvals?status=open").Str("data.0.id")
	made, err := url.Parse(p.post("/v1/approvals/"+id+"/link", map[string]any{"recipient": "ada@example.org"}).Str("url"))
	if err != nil {
		p.t.Fatal(err)
	}
	testkit.Until(p.t, "the link to have decided", func() bool {
		harness.Press(p.t, p.server().url+made.Path, answer)
		return p.get("/v1/approvals/"+id).Str("status") != "open"
	})
	if by := p.get("/v1/approvals/" + id).Str("settled_by"); by != "link:ada@example.org" {
		p.t.Errorf("it was settled by %q", by)
	}
}
