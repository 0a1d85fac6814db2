package sessions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestScannersDecideNothing: a thousand openings, in six ways, by what knows the address and
// what is at it, but has no hand to press with.
func TestScannersDecideNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "ada@example.org")
	scanners := map[string]func(b *servertest.Browser){
		"HEAD": func(b *servertest.Browser) {
			if got := b.Visit("HEAD", path, ""); got.Status != 200 || b.Cookie != "" {
				t.Errorf("HEAD: %d, cookie %q", got.Status, b.Cookie)
			}
		},
		"GET": func(b *servertest.Browser) { b.Visit("GET", path, "", "User-Agent", "curl/8", "Accept", "*/*") },
		"prefetch": func(b *servertest.Browser) {
			got := b.Visit("GET", path, "", "Sec-Purpose", "prefetch;prerender")
			if b.Cookie != "" || strings.Contains(got.Text, "<form") {
				t.Errorf("a browser that fetches ahead was given a form: %s", got.Text)
			}
		},
		"link preview": func(b *servertest.Browser) {
			b.Visit("GET", path, "", "User-Agent", "Slackbot-LinkExpanding 1.0", "Range", "bytes=0-32768")
		},
		"mail gateway that fills forms in": func(b *servertest.Browser) {
			form := servertest.FormIn(b.Visit("GET", path, "").Text)
			for _, answer := range []string{"yes", "no", ""} {
				form.Set("answer", answer)
				form.Set("figures", "123456")
				form.Set("comment", "test")
				if got := b.Visit("POST", path, form.Encode()); got.Status != 403 {
					t.Errorf("%s was taken with %d", form.Encode(), got.Status)
				}
			}
		},
		"a script that posts the key it finds": func(b *servertest.Browser) {
			page := b.Visit("GET", path, "").Text
			form := servertest.FormIn(page)
			form.Set("answer", "yes")
			form.Set("nonce", servertest.Keyed.FindStringSubmatch(page)[1])
			if got := b.Visit("POST", path, form.Encode(), "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"); got.Status != 403 {
				t.Errorf("a script was taken with %d", got.Status)
			}
		},
	}
	for range 1000 / len(scanners) {
		for _, scan := range scanners {
			scan(&servertest.Browser{T: t, C: c})
		}
	}
	before := w.Newest(t)
	if a := w.Approval(t); a.Status != domain.ApprovalStatusOpen || a.SettledBy != "" {
		t.Fatalf("it was settled: %s by %s", a.Status, a.SettledBy)
	}
	if after := w.Newest(t); after != before {
		t.Errorf("something happened: %d, then %d", before, after)
	}
}

// TestOneClickDecidesOnce: of a doubled click one counts, another answer changes nothing, and
// the card says who decided.
func TestOneClickDecidesOnce(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "Ada <ada@example.org>")
	b := &servertest.Browser{T: t, C: c}
	page := b.Visit("GET", path, "").Text
	form := servertest.FormIn(page)
	key := servertest.Keyed.FindStringSubmatch(page)[1]
	form.Set("answer", "no")
	form.Set("comment", "Not this week.")
	nonce := []byte(key)
	for i := range nonce {
		nonce[i] = key[len(key)-1-i]
	}
	form.Set("nonce", string(nonce))
	for range 2 {
		if got := b.Visit("POST", path, form.Encode()); got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Text)
		}
	}
	settled := w.Approval(t)
	servertest.Equal(t, "what was decided", []any{settled.Status, settled.SettledBy, string(settled.Decision)},
		[]any{domain.ApprovalStatusRefused, "link:Ada <ada@example.org>", `{"approved":false,"comment":"Not this week."}`})
	form.Set("answer", "yes")
	b.Visit("POST", path, form.Encode())
	servertest.Equal(t, "after another answer", w.Approval(t).Status, domain.ApprovalStatusRefused)
	got := b.Visit("GET", path, "").Text
	for _, says := range []string{"Refused by the link sent to Ada &lt;ada@example.org&gt;", "2 March 2026", "Not this week."} {
		if !strings.Contains(got, says) {
			t.Errorf("the card does not say %q: %s", says, got)
		}
	}
	if strings.Contains(got, "<form") {
		t.Error("what is settled has a form")
	}
	if list := c.Want(200, "GET", "/v1/approvals/apr_1", ""); list.Body["settled_by"] != "link:Ada <ada@example.org>" {
		t.Errorf("the API says %v", list.Body["settled_by"])
	}
}

// TestWhereNoScriptRuns a person types the figures.
func TestWhereNoScriptRuns(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "")
	b := &servertest.Browser{T: t, C: c}
	page := b.Visit("GET", path, "").Text
	form := servertest.FormIn(page)
	form.Set("answer", "yes")
	form.Set("figures", servertest.Figures.FindStringSubmatch(page)[1])
	if got := (&servertest.Browser{T: t, C: c}).Visit("POST", path, form.Encode()); got.Status != 403 {
		t.Errorf("the figures of another browser were taken with %d", got.Status)
	}
	if got := b.Visit("POST", path, form.Encode()); got.Status != 303 {
		t.Fatalf("%d %s", got.Status, got.Text)
	}
	servertest.Equal(t, "who", w.Approval(t).SettledBy, "link")
}

// TestLinksThatLeadNowhere verifies that the response to an invalid link is in the reader's language and reveals
// nothing.
func TestLinksThatLeadNowhere(t *testing.T) {
	now := servertest.WorldTime.Add(time.Minute)
	w := servertest.OpenWorld(t, servertest.Wiring{RootKey: servertest.RootKey, PublicURL: "https://fermata.example", Clock: func() time.Time { return now }})
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "")
	b := &servertest.Browser{T: t, C: c}
	for _, bad := range []string{path[:len(path)-1], path + "A", "/a/secret", "/a/%00"} {
		got := b.Visit("GET", bad, "", "Accept-Language", "fr-CA")
		if got.Status != 404 || bad != "/a/%00" && !strings.Contains(got.Text, "Ce lien ne mène nulle part") {
			t.Errorf("%s: %d %s", bad, got.Status, got.Text)
		}
		if got := b.Visit("POST", bad, "answer=yes"); got.Status != 404 {
			t.Errorf("POST %s: %d", bad, got.Status)
		}
	}
	if got := b.Visit("GET", "/a/secret", "", "Accept", "application/json"); got.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a program gets %s", got.Text)
	}
	now = now.Add(people.ApprovalLinkLife)
	got := b.Visit("GET", path, "")
	if got.Status != 410 || !strings.Contains(got.Text, "This link has expired") || strings.Contains(got.Text, "<form") {
		t.Errorf("after its life: %d %s", got.Status, got.Text)
	}
	if got := b.Visit("POST", path, "answer=yes", "Accept", "*/*"); got.Status != 410 {
		t.Errorf("an answer after its life: %d", got.Status)
	}
}

// TestALinkShowsOneThing: the address goes nowhere, the page asks for nothing, and another
// approval cannot be answered by it.
func TestALinkShowsOneThing(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "ada@example.org")
	b := &servertest.Browser{T: t, C: c}
	got := b.Visit("GET", path, "", "Accept-Language", "fr;q=0.9, en;q=0.2")
	policy := got.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %s", policy)
		}
	}
	for header, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex, nofollow, noarchive", "Content-Language": "fr"} {
		servertest.Equal(t, header, got.Header.Get(header), want)
	}
	if cookie := got.Header.Get("Set-Cookie"); !strings.Contains(cookie, "__Host-") || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie is %s", cookie)
	}
	if !strings.Contains(got.Text, `<html lang="fr">`) || !strings.Contains(got.Text, "Approuver") || strings.Contains(got.Text, "ses_1") {
		t.Errorf("the page is %s", got.Text)
	}
	if got := c.Want(403, "POST", "/v1/approvals/apr_1/link", "", "Authorization", "Bearer member"); got.Body["code"] != "forbidden" {
		t.Errorf("a member makes links: %s", got.Text)
	}
}

// TestALinkToWhatHasChanged leads nowhere: it was made for what was asked then.
func TestALinkToWhatHasChanged(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "")
	w.Change(t, func(_ *domain.Session, change *domain.Change) {
		a := w.Approval(t)
		a.Actions[0].Digest = "another"
		change.Approvals = append(change.Approvals, a)
	})
	if got := (&servertest.Browser{T: t, C: c}).Visit("GET", path, ""); got.Status != 404 {
		t.Errorf("%d %s", got.Status, got.Text)
	}
}

// A withdrawn link opens nothing and decides nothing, on whichever page it was opened before; the approval
// stays open, a later write of the approval does not bring the link back, and a new link works.
func TestWithdrawnLinksLeadNowhere(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := c.LinkTo("apr_1", "ada@example.org")
	opened := &servertest.Browser{T: t, C: c}
	page := opened.Visit("GET", path, "").Text
	c.Want(204, "DELETE", "/v1/approvals/apr_1/link", "")
	w.Change(t, func(_ *domain.Session, change *domain.Change) {
		a := w.Approval(t)
		a.LinkEpoch = 0 // as a driver holds it that read the approval before
		change.Approvals = append(change.Approvals, a)
	})
	if got := opened.Visit("GET", path, ""); got.Status != 404 {
		t.Errorf("GET: %d %s", got.Status, got.Text)
	}
	if got := opened.Visit("POST", path, servertest.FormIn(page).Encode()); got.Status != 404 {
		t.Errorf("POST: %d %s", got.Status, got.Text)
	}
	servertest.Equal(t, "the status", w.Approval(t).Status, domain.ApprovalStatusOpen)
	again := c.LinkTo("apr_1", "ada@example.org")
	if got := opened.Press(again, "yes"); got.Status != 303 {
		t.Errorf("by a new link: %d %s", got.Status, got.Text)
	}
	c.Want(404, "DELETE", "/v1/approvals/apr_9/link", "")
}

// TestLinksHaveTheirRates: openings count for the approval, and guesses for the address.
func TestLinksHaveTheirRates(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.ServeWith(t, edge.RateLimits{HooksPerSecond: 0.001, HooksBurst: 3})
	path := c.LinkTo("apr_1", "")
	b := &servertest.Browser{T: t, C: c}
	for _, at := range []string{path, "/a/guess"} {
		for i := range 5 {
			if got := b.Visit("GET", at, "").Status; (got == 429) != (i >= 3) {
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
			w := servertest.NewWorld(t)
			c := w.Serve(t)
			c.Want(200, "POST", "/v1/approvals/apr_1", `{"approved":false}`)
			w.Wait(t, "ses_1", domain.Idle)
			c.Want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"Ask me."}`)
			w.Wait(t, "ses_1", domain.WaitingCommunicationResponse)
			open := c.Want(200, "GET", "/v1/approvals?status=open", "").Body["data"].([]any)[0].(map[string]any)["id"].(string)
			w.RewriteModule(t, open, q.module)
			b := &servertest.Browser{T: t, C: c}
			got := b.Press(c.LinkTo(open, ""), "yes", q.form...)
			a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, open)
			if err != nil {
				t.Fatal(err)
			}
			if q.value == "" {
				servertest.Equal(t, "refused", []any{got.Status, a.Status}, []any{422, domain.ApprovalStatusOpen})
				return
			}
			servertest.Equal(t, "answered", []any{got.Status, string(a.Decision)}, []any{303, `{"approved":true,"value":` + q.value + `}`})
		})
	}
}
