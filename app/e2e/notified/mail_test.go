package notified

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

var aLink = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/a/[A-Za-z0-9_-]+`)

func mailing(t testing.TB, db app.Database, to ...string) (*harness.Server, *post) {
	t.Helper()
	p := newPost(t)
	s := reachable(t, db, func(c *app.Config) { c.SMTPURL, c.MailFrom = p.URL, "Fermata <fermata@example.org>" })
	s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"mail_to": to}}).Want(200)
	return s, p
}

// Each recipient gets a mail for an open approval, with a link of its own, in two forms that load nothing; and the
// recipient who answers is the one who is recorded.
func TestMailsBringLinks(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, p := mailing(t, db, "ada@example.org", "grace@example.org")
		card := asked(s)
		testkit.Until(t, "both mails", func() bool { return len(p.taken()) == 2 })
		links := map[string]string{}
		for _, l := range p.taken() {
			links[l.To] = aLink.FindString(l.Plain)
			if links[l.To] == "" || !strings.Contains(l.HTML, links[l.To]) || !strings.Contains(l.Subject, "A change needs your approval") {
				t.Errorf("%+v", l)
			}
			if strings.Contains(l.Plain+l.HTML+l.Subject, "Garden") {
				t.Error("the question is in a mail, although the workspace disallows it")
			}
			for _, loads := range []string{"<img", "<link", "src=", "url(", "<script"} {
				if strings.Contains(l.HTML, loads) {
					t.Errorf("the mail has %s", loads)
				}
			}
		}
		if links["ada@example.org"] == links["grace@example.org"] {
			t.Error("two people have one link")
		}
		if got := harness.Press(t, links["grace@example.org"], "yes"); got != http.StatusSeeOther {
			t.Fatalf("pressing was answered %d", got)
		}
		if by := s.Call("GET", "/v1/approvals/"+card.Str("id"), nil).Want(200).Str("settled_by"); by != "link:grace@example.org" {
			t.Errorf("it was settled by %s", by)
		}
		if list := s.Call("GET", "/v1/webhooks", nil).Want(200).List("data"); len(list) != 0 {
			t.Errorf("addresses of mail are listed among the webhooks: %v", list)
		}
	})
}

// A mail that is rejected temporarily is sent again with the same id; one that is rejected permanently is not, and
// delays no other mail.
func TestMailsComeAgain(t *testing.T) {
	s, p := mailing(t, harness.Databases["sqlite"](t), "later@example.org", "never@example.org")
	s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"show_content": true}}).Want(200)
	p.refuse = func(to, id string) *smtp.SMTPError {
		switch {
		case to == "never@example.org":
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		case len(p.tries) > 0 && p.tries[len(p.tries)-1] == id && strings.Count(strings.Join(p.tries, " "), id) == 1:
			return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "come again"}
		}
		return nil
	}
	asked(s)
	testkit.Until(t, "the mail that was refused for now", func() bool { return len(p.taken()) == 1 })
	l := p.taken()[0]
	if !strings.Contains(l.Plain, "Garden") || !strings.Contains(l.HTML, "Garden") {
		t.Errorf("the question is not in the mail, although the workspace allows it: %+v", l)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := map[string]int{}
	for _, id := range p.tries {
		seen[id]++
	}
	if len(seen) != 2 || seen[l.ID] != 2 || len(p.tries) != 3 {
		t.Errorf("the tries were %v", p.tries)
	}
}

// No mail is sent in the quiet hours. When they are removed, open approvals are notified.
func TestQuietHours(t *testing.T) {
	s, p := mailing(t, harness.Databases["sqlite"](t), "ada@example.org")
	now := time.Now().UTC()
	s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"quiet_hours": map[string]any{
		"from": now.Add(-time.Hour).Format("15:04"), "to": now.Add(time.Hour).Format("15:04"),
	}}}).Want(200)
	asked(s)
	testkit.Until(t, "it to be held", func() bool {
		look, err := s.Parts.Store.Webhooks.LookAtWebhooks(t.Context(), now)
		if err != nil || len(look.Enabled) != 1 {
			t.Fatalf("%+v, %v", look, err)
		}
		state, err := s.Parts.Store.Webhooks.StandingOf(t.Context(), look.Enabled[0])
		return err == nil && state.PausedUntil != nil && state.PausedUntil.After(now)
	})
	if got := p.taken(); len(got) != 0 {
		t.Fatalf("a mail came in the quiet hours: %+v", got)
	}
	s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"quiet_hours": nil}}).Want(200)
	testkit.Until(t, "the mail", func() bool { return len(p.taken()) == 1 })
}

// Invalid recipients are rejected where they are entered.
func TestWhoCannotBeTold(t *testing.T) {
	s, _ := mailing(t, harness.Databases["sqlite"](t))
	for _, bad := range []any{[]string{"ada"}, []string{"Ada <ada@example.org>"}, []string{"a@b.c", "a@b.c"}, []string{"a@b.c\r\nBcc: x@y.z"}} {
		s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"mail_to": bad}}).Want(422)
	}
	for _, bad := range []any{map[string]any{"from": "22:00"}, map[string]any{"from": "24:00", "to": "07:00"}, map[string]any{"from": "07:00", "to": "07:00"}} {
		s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"quiet_hours": bad}}).Want(422)
	}
	silent := harness.NewServer(t, harness.Databases["sqlite"](t))
	silent.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"mail_to": []string{"ada@example.org"}}}).Want(422)
	if why := silent.Call("GET", "/v1/settings", nil).Want(200).At("mail_off"); why != "no_server" {
		t.Errorf("it says that it sends no mail because of %v", why)
	}
	if why := s.Call("GET", "/v1/settings", nil).Want(200).At("mail_off"); why != nil {
		t.Errorf("a server that sends mail says %v", why)
	}
}
