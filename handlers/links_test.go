package handlers

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// browser opens links as one does, or as something else does that sends requests.
type browser struct {
	t      *testing.T
	c      *testClient
	cookie string
}

// visit makes a request and follows nothing.
func (b *browser) visit(method, path, form string, headers ...string) reply {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.c.url+path, strings.NewReader(form))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.c.http.Transport.RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range res.Cookies() {
		b.cookie = c.Name + "=" + c.Value
	}
	return reply{status: res.StatusCode, header: res.Header, text: string(text)}
}

var (
	fields  = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)
	keyed   = regexp.MustCompile(`data-key="([^"]+)"`)
	figures = regexp.MustCompile(`<bdi>([0-9]{6})</bdi>`)
)

// formIn is the form of a page as it stands in the document.
func formIn(page string) url.Values {
	form := url.Values{}
	for _, field := range fields.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], field[2])
	}
	return form
}

// press does what the page's script does when a person presses a button.
func (b *browser) press(path, answer string, more ...string) reply {
	b.t.Helper()
	page := b.visit("GET", path, "").text
	form, key := formIn(page), keyed.FindStringSubmatch(page)
	if key == nil {
		b.t.Fatalf("there is no form in %s", page)
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
	return b.visit("POST", path, form.Encode(), "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
}

// linkTo makes a link to an approval, and gives its path.
func (c *testClient) linkTo(id, recipient string) string {
	c.t.Helper()
	made := c.want(201, "POST", "/v1/approvals/"+id+"/link", fmt.Sprintf(`{"recipient":%q}`, recipient))
	path, ok := strings.CutPrefix(made.body["url"].(string), "https://fermata.example")
	if !ok {
		c.t.Fatalf("the link is %s", made.text)
	}
	return path
}

func (w *world) approval(t *testing.T) *domain.Approval {
	t.Helper()
	a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, "apr_1")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// everyLink makes a link and goes by it.
func everyLink(t *testing.T, w *world, c *testClient) {
	c.want(422, "POST", "/v1/approvals/apr_1/link", `{"to":"x"}`)
	c.want(404, "POST", "/v1/approvals/apr_9/link", "")
	c.want(204, "DELETE", "/v1/approvals/apr_1/link", "")
	b := &browser{t: t, c: c}
	path := c.linkTo("apr_1", "ada@example.org")
	if got := b.visit("GET", path, ""); got.status != 200 || !strings.Contains(got.text, "Add the zone “x”") {
		t.Fatalf("%d %s", got.status, got.text)
	}
	if got := b.press(path, "yes"); got.status != 303 || got.header.Get("Location") != path {
		t.Fatalf("%d %s", got.status, got.text)
	}
	a := w.approval(t)
	equal(t, "how it was settled", []any{a.Status, a.SettledBy}, []any{domain.ApprovalStatusApproved, "link:ada@example.org"})
	c.want(409, "POST", "/v1/approvals/apr_1/link", "")
}

// TestScannersDecideNothing: a thousand openings, in six ways, by what knows the address and
// what is at it, but has no hand to press with.
func TestScannersDecideNothing(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	path := c.linkTo("apr_1", "ada@example.org")
	scanners := map[string]func(b *browser){
		"HEAD": func(b *browser) {
			if got := b.visit("HEAD", path, ""); got.status != 200 || b.cookie != "" {
				t.Errorf("HEAD: %d, cookie %q", got.status, b.cookie)
			}
		},
		"GET": func(b *browser) { b.visit("GET", path, "", "User-Agent", "curl/8", "Accept", "*/*") },
		"prefetch": func(b *browser) {
			got := b.visit("GET", path, "", "Sec-Purpose", "prefetch;prerender")
			if b.cookie != "" || strings.Contains(got.text, "<form") {
				t.Errorf("a browser that fetches ahead was given a form: %s", got.text)
			}
		},
		"link preview": func(b *browser) {
			b.visit("GET", path, "", "User-Agent", "Slackbot-LinkExpanding 1.0", "Range", "bytes=0-32768")
		},
		"mail gateway that fills forms in": func(b *browser) {
			form := formIn(b.visit("GET", path, "").text)
			for _, answer := range []string{"yes", "no", ""} {
				form.Set("answer", answer)
				form.Set("figures", "123456")
				form.Set("comment", "test")
				if got := b.visit("POST", path, form.Encode()); got.status != 403 {
					t.Errorf("%s was taken with %d", form.Encode(), got.status)
				}
			}
		},
		"a script that posts the key it finds": func(b *browser) {
			page := b.visit("GET", path, "").text
			form := formIn(page)
			form.Set("answer", "yes")
			form.Set("nonce", keyed.FindStringSubmatch(page)[1])
			if got := b.visit("POST", path, form.Encode(), "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"); got.status != 403 {
				t.Errorf("a script was taken with %d", got.status)
			}
		},
	}
	for range 1000 / len(scanners) {
		for _, scan := range scanners {
			scan(&browser{t: t, c: c})
		}
	}
	before := w.newest(t)
	if a := w.approval(t); a.Status != domain.ApprovalStatusOpen || a.SettledBy != "" {
		t.Fatalf("it was settled: %s by %s", a.Status, a.SettledBy)
	}
	if after := w.newest(t); after != before {
		t.Errorf("something happened: %d, then %d", before, after)
	}
}

// TestOneClickDecidesOnce: of a doubled click one counts, another answer changes nothing, and
// the card says who decided.
func TestOneClickDecidesOnce(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	path := c.linkTo("apr_1", "Ada <ada@example.org>")
	b := &browser{t: t, c: c}
	page := b.visit("GET", path, "").text
	form := formIn(page)
	key := keyed.FindStringSubmatch(page)[1]
	form.Set("answer", "no")
	form.Set("comment", "Not this week.")
	nonce := []byte(key)
	for i := range nonce {
		nonce[i] = key[len(key)-1-i]
	}
	form.Set("nonce", string(nonce))
	for range 2 {
		if got := b.visit("POST", path, form.Encode()); got.status != 303 {
			t.Fatalf("%d %s", got.status, got.text)
		}
	}
	settled := w.approval(t)
	equal(t, "what was decided", []any{settled.Status, settled.SettledBy, string(settled.Decision)},
		[]any{domain.ApprovalStatusRefused, "link:Ada <ada@example.org>", `{"approved":false,"comment":"Not this week."}`})
	form.Set("answer", "yes")
	b.visit("POST", path, form.Encode())
	equal(t, "after another answer", w.approval(t).Status, domain.ApprovalStatusRefused)
	got := b.visit("GET", path, "").text
	for _, says := range []string{"Refused by the link sent to Ada &lt;ada@example.org&gt;", "2 March 2026", "Not this week."} {
		if !strings.Contains(got, says) {
			t.Errorf("the card does not say %q: %s", says, got)
		}
	}
	if strings.Contains(got, "<form") {
		t.Error("what is settled has a form")
	}
	if list := c.want(200, "GET", "/v1/approvals/apr_1", ""); list.body["settled_by"] != "link:Ada <ada@example.org>" {
		t.Errorf("the API says %v", list.body["settled_by"])
	}
}

// TestWhereNoScriptRuns a person types the figures.
func TestWhereNoScriptRuns(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	path := c.linkTo("apr_1", "")
	b := &browser{t: t, c: c}
	page := b.visit("GET", path, "").text
	form := formIn(page)
	form.Set("answer", "yes")
	form.Set("figures", figures.FindStringSubmatch(page)[1])
	if got := (&browser{t: t, c: c}).visit("POST", path, form.Encode()); got.status != 403 {
		t.Errorf("the figures of another browser were taken with %d", got.status)
	}
	if got := b.visit("POST", path, form.Encode()); got.status != 303 {
		t.Fatalf("%d %s", got.status, got.text)
	}
	equal(t, "who", w.approval(t).SettledBy, "link")
}

// TestLinksThatLeadNowhere verifies that the response to an invalid link is in the reader's language and reveals
// nothing.
func TestLinksThatLeadNowhere(t *testing.T) {
	now := worldTime.Add(time.Minute)
	w := openWorld(t, Wiring{RootKey: aRootKey, PublicURL: "https://fermata.example", Clock: func() time.Time { return now }})
	c := w.serve(t)
	path := c.linkTo("apr_1", "")
	b := &browser{t: t, c: c}
	for _, bad := range []string{path[:len(path)-1], path + "A", "/a/secret", "/a/%00"} {
		got := b.visit("GET", bad, "", "Accept-Language", "fr-CA")
		if got.status != 404 || bad != "/a/%00" && !strings.Contains(got.text, "Ce lien ne mène nulle part") {
			t.Errorf("%s: %d %s", bad, got.status, got.text)
		}
		if got := b.visit("POST", bad, "answer=yes"); got.status != 404 {
			t.Errorf("POST %s: %d", bad, got.status)
		}
	}
	if got := b.visit("GET", "/a/secret", "", "Accept", "application/json"); got.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a program gets %s", got.text)
	}
	now = now.Add(domain.ApprovalLinkLife)
	got := b.visit("GET", path, "")
	if got.status != 410 || !strings.Contains(got.text, "This link has expired") || strings.Contains(got.text, "<form") {
		t.Errorf("after its life: %d %s", got.status, got.text)
	}
	if got := b.visit("POST", path, "answer=yes", "Accept", "*/*"); got.status != 410 {
		t.Errorf("an answer after its life: %d", got.status)
	}
}

// TestALinkShowsOneThing: the address goes nowhere, the page asks for nothing, and another
// approval cannot be answered by it.
func TestALinkShowsOneThing(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	path := c.linkTo("apr_1", "ada@example.org")
	b := &browser{t: t, c: c}
	got := b.visit("GET", path, "", "Accept-Language", "fr;q=0.9, en;q=0.2")
	policy := got.header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %s", policy)
		}
	}
	for header, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex, nofollow, noarchive", "Content-Language": "fr"} {
		equal(t, header, got.header.Get(header), want)
	}
	if cookie := got.header.Get("Set-Cookie"); !strings.Contains(cookie, "__Host-") || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie is %s", cookie)
	}
	if !strings.Contains(got.text, `<html lang="fr">`) || !strings.Contains(got.text, "Approuver") || strings.Contains(got.text, "ses_1") {
		t.Errorf("the page is %s", got.text)
	}
	if got := c.want(403, "POST", "/v1/approvals/apr_1/link", "", "Authorization", "Bearer member"); got.body["code"] != "forbidden" {
		t.Errorf("a member makes links: %s", got.text)
	}
}

// TestALinkToWhatHasChanged leads nowhere: it was made for what was asked then.
func TestALinkToWhatHasChanged(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	path := c.linkTo("apr_1", "")
	w.change(t, func(_ *domain.Session, change *domain.Change) {
		a := w.approval(t)
		a.Actions[0].Digest = "another"
		change.Approvals = append(change.Approvals, a)
	})
	if got := (&browser{t: t, c: c}).visit("GET", path, ""); got.status != 404 {
		t.Errorf("%d %s", got.status, got.text)
	}
}

// A withdrawn link opens nothing and decides nothing, on whichever page it was opened before; the approval
// stays open, a later write of the approval does not bring the link back, and a new link works.
func TestWithdrawnLinksLeadNowhere(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	path := c.linkTo("apr_1", "ada@example.org")
	opened := &browser{t: t, c: c}
	page := opened.visit("GET", path, "").text
	c.want(204, "DELETE", "/v1/approvals/apr_1/link", "")
	w.change(t, func(_ *domain.Session, change *domain.Change) {
		a := w.approval(t)
		a.LinkEpoch = 0 // as a driver holds it that read the approval before
		change.Approvals = append(change.Approvals, a)
	})
	if got := opened.visit("GET", path, ""); got.status != 404 {
		t.Errorf("GET: %d %s", got.status, got.text)
	}
	if got := opened.visit("POST", path, formIn(page).Encode()); got.status != 404 {
		t.Errorf("POST: %d %s", got.status, got.text)
	}
	equal(t, "the status", w.approval(t).Status, domain.ApprovalStatusOpen)
	again := c.linkTo("apr_1", "ada@example.org")
	if got := opened.press(again, "yes"); got.status != 303 {
		t.Errorf("by a new link: %d %s", got.status, got.text)
	}
	c.want(404, "DELETE", "/v1/approvals/apr_9/link", "")
}

// TestLinksHaveTheirRates: openings count for the approval, and guesses for the address.
func TestLinksHaveTheirRates(t *testing.T) {
	w := newWorld(t)
	c := w.serveWith(t, RateLimits{HooksPerSecond: 0.001, HooksBurst: 3})
	path := c.linkTo("apr_1", "")
	b := &browser{t: t, c: c}
	for _, at := range []string{path, "/a/guess"} {
		for i := range 5 {
			if got := b.visit("GET", at, "").status; (got == 429) != (i >= 3) {
				t.Errorf("%.10s, %d times: %d", at, i+1, got)
			}
		}
	}
}

// TestAQuestionByLink: each kind of question has its form, and its answer arrives.
func TestAQuestionByLink(t *testing.T) {
	for name, q := range map[string]struct {
		module string
		form   []string
		value  string // of the decision; "": it was not taken
	}{
		"choice":      {`{"type":"MultipleChoice","data":{"question":"Which?","options":["a","b"]}}`, []string{"choice", "b"}, `"b"`},
		"none chosen": {`{"type":"MultipleChoice","data":{"question":"Which?","options":["a","b"]}}`, nil, ""},
		"several":     {`{"type":"MultipleChoice","data":{"question":"Which?","options":["a","b"],"multiple":true}}`, []string{"choice", "a"}, `["a"]`},
		"other":       {`{"type":"MultipleChoice","data":{"question":"Which?","options":["a","b"],"allow_other":true}}`, []string{"other", "c"}, `"c"`},
		"text":        {`{"type":"Text","data":{"question":"What?"}}`, []string{"value", "one\r\ntwo"}, `"one\ntwo"`},
		"validation":  {`{"type":"Validation","data":{"message":"Sure?"}}`, nil, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.serve(t)
			c.want(200, "POST", "/v1/approvals/apr_1", `{"approved":false}`)
			w.wait(t, "ses_1", domain.Idle)
			c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"Ask me."}`)
			w.wait(t, "ses_1", domain.WaitingCommunicationResponse)
			open := c.want(200, "GET", "/v1/approvals?status=open", "").body["data"].([]any)[0].(map[string]any)["id"].(string)
			w.rewriteModule(t, open, q.module)
			b := &browser{t: t, c: c}
			got := b.press(c.linkTo(open, ""), "yes", q.form...)
			a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, open)
			if err != nil {
				t.Fatal(err)
			}
			if q.value == "" {
				equal(t, "refused", []any{got.status, a.Status}, []any{422, domain.ApprovalStatusOpen})
				return
			}
			equal(t, "answered", []any{got.status, string(a.Decision)}, []any{303, `{"approved":true,"value":` + q.value + `}`})
		})
	}
}

// rewriteModule has an open question ask something else.
func (w *world) rewriteModule(t *testing.T, id, module string) {
	t.Helper()
	w.change(t, func(_ *domain.Session, change *domain.Change) {
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
