package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/notify/webpush"
)

// pushWorld is a pusher, with a browser that it pushes to.
type pushWorld struct {
	*Pusher
	w       *asking
	service *pushservice.Service
	browser *pushservice.Browser
	hook    *outside.Webhook
	secret  string
	now     time.Time
}

func newPushWorld(t *testing.T) *pushWorld {
	t.Helper()
	sender, err := SenderOf(func(purpose string) []byte { return bytes.Repeat([]byte{byte(len(purpose))}, 32) })
	if err != nil {
		t.Fatal(err)
	}
	p := &pushWorld{service: pushservice.New(t), now: time.Now(), w: &asking{settings: domain.Settings{Language: "en", TimeZone: "UTC"}}}
	p.browser = p.service.Browser(sender.Public())
	news := Composer{Store: p.w, Workspaces: p.w, Clock: func() time.Time { return p.now }}
	news.Link = func(a *domain.Approval, _ string) (string, error) {
		return "https://f.example/#/approvals/" + a.ID, nil
	}
	policy := egress.Policy{Private: egress.Open}
	p.Pusher = &Pusher{
		Composer: news, Client: egress.NewClient(egress.Config{Policy: policy}), Policy: policy, Sender: sender,
		Contact: "mailto:fermata@example.org", Page: "https://f.example", Log: zerolog.Nop(),
	}
	p.hook = &outside.Webhook{ID: "psh_1", Kind: outside.WebhookPush, URL: p.browser.Endpoint, Language: "fr"}
	secret, err := json.Marshal(receiver{p.browser.P256dh, p.browser.Auth, sender.Secret()})
	if err != nil {
		t.Fatal(err)
	}
	p.secret = string(secret)
	return p
}

func (p *pushWorld) asks(id, text string, in time.Duration) {
	p.w.all = append(p.w.all, &domain.Approval{
		ID: id, WorkspaceID: "default", SessionID: "ses_1", Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen, Text: text,
		CreatedAt: p.now, ExpiresAt: new(p.now.Add(in)),
	})
}

func (p *pushWorld) carries(t *testing.T, id string) webhooks.Outcome {
	t.Helper()
	return p.Carry(t.Context(), p.hook, p.secret, "psh_1_7", event(id))
}

// A push says in its browser's language that something waits, and what only where that is wanted; it leads to the
// page, holds as long as the question, and is the same at each try.
func TestAPushNamesWhatWaits(t *testing.T) {
	p := newPushWorld(t)
	p.asks("apr_1", "The garden, <b>too</b>?", 90*time.Second)
	for range 2 {
		if o := p.carries(t, "apr_1"); o.Result != webhooks.Delivered || o.Status != 201 {
			t.Fatalf("%+v", o)
		}
	}
	p.w.settings.Notifications.ShowContent = true
	p.carries(t, "apr_1")
	got := p.service.Taken()
	const front, behind = `{"title":"Une question pour vous","body":"`, `","url":"https://f.example/#/approvals/apr_1","tag":"apr_1","workspace_id":"default",` +
		`"approval_id":"apr_1","session_id":"ses_1"}`
	for i, body := range []string{"Ouvrez Fermata pour voir et répondre.", "Ouvrez Fermata pour voir et répondre.", "The garden, <b>too</b>?"} {
		if text := string(got[i].Text); text != front+body+behind || got[i].TTL != 90 || got[i].Topic != got[0].Topic || got[i].Urgency != "high" || len(got[i].Topic) != 32 {
			t.Errorf("push %d: %s, %+v", i, text, got[i])
		}
	}
	if p.w.settings.Language != "en" {
		t.Error("the workspace speaks another language now")
	}
}

// What is long fits into the 4 KiB of a push, in whatever script.
func TestAPushFits(t *testing.T) {
	p := newPushWorld(t)
	p.w.settings.Notifications.ShowContent = true
	for name, text := range map[string]string{"a": "a", "e": "é", "q": `"`, "k": "漢", "j": "🦊"} {
		a := &domain.Approval{ID: "apr_" + name, Kind: domain.ApprovalActions, Status: domain.ApprovalStatusOpen, CreatedAt: p.now}
		for range 30 {
			a.Actions = append(a.Actions, domain.ApprovalAction{Text: strings.Repeat(text, 600)})
		}
		p.w.all = append(p.w.all, a)
		if o := p.carries(t, a.ID); o.Result != webhooks.Delivered {
			t.Fatalf("%s: %+v", name, o)
		}
		all := p.service.Taken()
		last := all[len(all)-1]
		var n notification
		if err := json.Unmarshal(last.Text, &n); err != nil || len(last.Text) > webpush.MaxText || len(last.Text) < webpush.MaxText/2 || !strings.HasSuffix(n.Body, "…") {
			t.Errorf("%s: %d bytes, %v: %.80s", name, len(last.Text), err, last.Text)
		}
		if last.TTL != int(longestWait.Seconds()) {
			t.Errorf("it holds %d seconds", last.TTL)
		}
	}
}

// What a push service answers decides whether it is asked again.
func TestWhatAPushServiceAnswers(t *testing.T) {
	p := newPushWorld(t)
	p.asks("apr_1", "x", time.Hour)
	for status, want := range map[int]webhooks.Result{
		200: webhooks.Delivered, 202: webhooks.Delivered, 404: webhooks.Gone, 410: webhooks.Gone, 429: webhooks.Throttled, 400: webhooks.Rejected,
		401: webhooks.Rejected, 403: webhooks.Rejected, 413: webhooks.Rejected, 408: webhooks.Refused, 500: webhooks.Refused, 503: webhooks.Refused,
	} {
		p.service.Answer(func(*pushservice.Push, http.ResponseWriter) int { return status })
		if o := p.carries(t, "apr_1"); o.Result != want || o.Status != status {
			t.Errorf("%d: %+v", status, o)
		}
	}
	p.service.Answer(func(_ *pushservice.Push, w http.ResponseWriter) int {
		w.Header().Set("Retry-After", "120")
		return 503
	})
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Throttled || o.RetryAfter != 2*time.Minute {
		t.Errorf("503 with Retry-After: %+v", o)
	}
	p.service.Answer(func(_ *pushservice.Push, w http.ResponseWriter) int {
		w.Header().Set("Location", "https://elsewhere.example/")
		return 307
	})
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Refused || o.Status != 307 ||
		o.Detail != "it answered 307 Temporary Redirect, a redirect to https://elsewhere.example:443: redirects are not followed" {
		t.Errorf("a redirect: %+v", o)
	}
}

// Nothing is sent that is over, that may not be sent, or that was settled meanwhile.
func TestWhatIsNotPushed(t *testing.T) {
	p := newPushWorld(t)
	p.asks("apr_1", "x", time.Hour)
	p.hook.HoldsUntil = new(p.now)
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Gone {
		t.Errorf("a subscription that is over: %+v", o)
	}
	p.hook.HoldsUntil = nil
	p.Policy = egress.Policy{}
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Rejected || !strings.Contains(o.Detail, "https") {
		t.Errorf("without TLS: %+v", o)
	}
	p.Policy, p.Client = egress.Policy{Private: egress.Open}, egress.NewClient(egress.Config{})
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Unreachable || !strings.Contains(o.Detail, "not allowed") {
		t.Errorf("into a private network: %+v", o)
	}
	p.w.all[0].Status = domain.ApprovalStatusApproved
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Delivered || o.Status != 0 {
		t.Errorf("what was settled: %+v", o)
	}
	p.w.all[0].Status, p.secret = domain.ApprovalStatusOpen, "{}"
	if o := p.carries(t, "apr_1"); o.Result != webhooks.Rejected {
		t.Errorf("without keys: %+v", o)
	}
	if n := len(p.service.Asked()); n != 0 {
		t.Errorf("%d pushes went out", n)
	}
}

// A push is delivered by its status: an answer that stays open holds nothing up.
func TestAPushServiceThatStaysOpen(t *testing.T) {
	p := newPushWorld(t)
	p.asks("apr_1", "The garden?", 90*time.Second)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	p.hook.URL = server.URL
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	if o := p.Carry(ctx, p.hook, p.secret, "psh_1_7", event("apr_1")); o.Result != webhooks.Delivered || ctx.Err() != nil {
		t.Errorf("%+v, %v", o, ctx.Err())
	}
}
