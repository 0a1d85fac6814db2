package servertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// Browser opens links as one does, or as something else does that sends requests.
type Browser struct {
	T      *testing.T
	C      *Client
	Cookie string
}

// Visit makes a request and follows nothing.
func (b *Browser) Visit(method, path, form string, headers ...string) Reply {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), method, b.C.URL+path, strings.NewReader(form))
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.Cookie != "" {
		r.Header.Set("Cookie", b.Cookie)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.C.HTTP.Transport.RoundTrip(r)
	if err != nil {
		b.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, c := range res.Cookies() {
		b.Cookie = c.Name + "=" + c.Value
	}
	return Reply{Status: res.StatusCode, Header: res.Header, Text: string(text)}
}

var (
	fields  = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)
	Keyed   = regexp.MustCompile(`data-key="([^"]+)"`)
	Figures = regexp.MustCompile(`<bdi>([0-9]{6})</bdi>`)
)

// FormIn returns the form of a page.
func FormIn(page string) url.Values {
	form := url.Values{}
	for _, field := range fields.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], field[2])
	}
	return form
}

// Press does what the page's script does when a person presses a button.
func (b *Browser) Press(path, answer string, more ...string) Reply {
	b.T.Helper()
	page := b.Visit("GET", path, "").Text
	form, key := FormIn(page), Keyed.FindStringSubmatch(page)
	if key == nil {
		b.T.Fatalf("there is no form in %s", page)
	}
	nonce := ""
	for _, c := range key[1] {
		nonce = string(c) + nonce
	}
	form.Set("nonce", nonce)
	form.Set("answer", answer)
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.Visit("POST", path, form.Encode(), "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
}

// LinkTo makes a link to an approval, and gives its path.
func (c *Client) LinkTo(id, recipient string) string {
	c.T.Helper()
	made := c.Want(201, "POST", "/v1/approvals/"+id+"/link", fmt.Sprintf(`{"recipient":%q}`, recipient))
	path, ok := strings.CutPrefix(made.Body["url"].(string), "https://fermata.example")
	if !ok {
		c.T.Fatalf("the link is %s", made.Text)
	}
	return path
}

func (w *World) Approval(t *testing.T) *domain.Approval {
	t.Helper()
	a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, "apr_1")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// RewriteModule has an open question ask something else.
func (w *World) RewriteModule(t *testing.T, id, module string) {
	t.Helper()
	w.Change(t, func(_ *domain.Session, change *domain.Change) {
		a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, id)
		if err != nil {
			t.Fatal(err)
		}
		a.Module = &domain.Module{}
		if err := json.Unmarshal([]byte(module), a.Module); err != nil {
			t.Fatal(err)
		}
		change.Approvals = append(change.Approvals, a)
	})
}
