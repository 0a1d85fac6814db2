package notify

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// A mail server and a sender belong together, and an error never shows the password.
func TestMailConfig(t *testing.T) {
	const server = "smtp://u:hidden@mail.example:587"
	for name, c := range map[string]struct {
		config MailConfig
		says   string
	}{
		"none":       {MailConfig{}, ""},
		"both":       {MailConfig{SMTPURL: server, MailFrom: "fermata@example.com"}, ""},
		"no sender":  {MailConfig{SMTPURL: server}, "FERMATA_MAIL_FROM"},
		"no server":  {MailConfig{MailFrom: "fermata@example.com"}, "without FERMATA_SMTP_URL"},
		"bad sender": {MailConfig{SMTPURL: server, MailFrom: "nowhere"}, "FERMATA_MAIL_FROM"},
		"bad server": {MailConfig{SMTPURL: "http://u:hidden@mail.example", MailFrom: "fermata@example.com"}, "FERMATA_SMTP_URL"},
		"no file":    {MailConfig{SMTPURLFile: "/nonexistent/file"}, "/nonexistent/file"},
	} {
		err := c.config.ResolveMail()
		if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	both := MailConfig{SMTPURL: server, MailFrom: "Fermata <fermata@example.com>"}
	if m, err := both.OpenMail(Composer{}, zerolog.Nop()); err != nil || m.From.Address != "fermata@example.com" || m.Server.Host != "mail.example" {
		t.Errorf("%+v, %v", m, err)
	}
	if got := both.Contact("https://page.example"); got != "mailto:fermata@example.com" {
		t.Errorf("the contact is %s", got)
	}
	if got := (&MailConfig{}).Contact("https://page.example"); got != "https://page.example" {
		t.Errorf("without mail the contact is %s", got)
	}
	if found := (&MailConfig{}).DiagnoseMail(t.Context(), ""); found != nil {
		t.Errorf("nothing to diagnose: %+v", found)
	}
}

// Browsers accept pushes from pages over https, and from their own machine.
func TestPushConfig(t *testing.T) {
	for url, level := range map[string]diagnosis.Level{
		"": "", "http://localhost:8080": "", "http://127.0.0.1": "", "http://fermata.example": diagnosis.LevelWarning,
		"https://fermata.example": diagnosis.LevelOK,
	} {
		found := DiagnosePush(url, "mailto:ada@example.com")
		if level == "" && found != nil || level != "" && (len(found) != 1 || found[0].Level != level) {
			t.Errorf("%q: %+v", url, found)
		}
	}
	if PushOff(true, "https://fermata.example") != "" {
		t.Error("pushes are off with a key and an address")
	}
	if !strings.Contains(PushOff(false, "https://x"), "FERMATA_SECRET_KEY") || !strings.Contains(PushOff(true, ""), "FERMATA_PUBLIC_URL") {
		t.Error("the reason is not named")
	}
}

// approvals has one approval, and none of any other id.
type approvals struct{ one *domain.Approval }

func (a approvals) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	switch id {
	case a.one.ID:
		return a.one, nil
	case "broken":
		return nil, errors.New("the database is unreachable")
	}
	return nil, domain.Errorf(domain.CodeNotFound, "no such approval")
}

func TestLinks(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	asked := &domain.Approval{
		ID: "apr_1", WorkspaceID: "ws", SessionID: "ses_1", Kind: domain.ApprovalActions, Status: domain.ApprovalStatusOpen, CreatedAt: now,
	}
	links := &Links{Signer: auth.NewLinks([][]byte{make([]byte, 32)}, clock), Page: "https://fermata.example", Store: approvals{asked}}
	if !links.Any() || (&Links{Signer: links.Signer}).Any() || (&Links{Signer: auth.NewLinks(nil, clock), Page: links.Page}).Any() {
		t.Error("links need an address and a key")
	}
	of := func(id string) (string, error) {
		event := map[string]any{"approval": map[string]string{"id": id}}
		data, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		return links.Of(t.Context(), &domain.LogEvent{WorkspaceID: "ws", Data: data}, "ada")
	}
	first, err := of("apr_1")
	if err != nil || !strings.HasPrefix(first, "https://fermata.example/a/") {
		t.Errorf("%q, %v", first, err)
	}
	if again, err := links.To(asked, "ada"); err != nil || again != first {
		t.Errorf("it is another link: %q, %v", again, err)
	}
	if gone, err := of("apr_2"); err != nil || gone != "" {
		t.Errorf("of a session that was deleted: %q, %v", gone, err)
	}
	if _, err := of("broken"); err == nil {
		t.Error("an error was ignored")
	}
	asked.Status = domain.ApprovalStatusApproved
	if settled, err := of("apr_1"); err != nil || settled != "" {
		t.Errorf("of one that is settled: %q, %v", settled, err)
	}
}
