package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/connectors/notify"
	"github.com/fermata-dev/fermata/connectors/webhooks"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/secretfile"
	"github.com/fermata-dev/fermata/repository"
)

// Mail says who takes on the mails that tell people of what waits for them.
type Mail struct {
	SMTPURL     string `help:"Mail server: smtp://user:password@host:port, or smtps://." env:"FERMATA_SMTP_URL" secret:"url" name:"smtp-url"`
	SMTPURLFile string `help:"File that holds it." env:"FERMATA_SMTP_URL_FILE" hidden:"" name:"smtp-url-file"`
	MailFrom    string `help:"Address that mails come from." env:"FERMATA_MAIL_FROM"`
}

// resolve reads the secret's file and refuses what no mail could be sent with.
func (m *Mail) resolve() error {
	if err := secretfile.Fill(map[*string]string{&m.SMTPURL: m.SMTPURLFile}); err != nil {
		return err
	}
	if m.SMTPURL == "" {
		if m.MailFrom != "" {
			return errors.New("FERMATA_MAIL_FROM is set, and FERMATA_SMTP_URL is not: name the mail server too")
		}
		return nil
	}
	if _, err := notify.ParseMailServer(m.SMTPURL); err != nil {
		return fmt.Errorf("FERMATA_SMTP_URL: %w", err)
	}
	if m.MailFrom == "" {
		return errors.New("FERMATA_SMTP_URL is set, and FERMATA_MAIL_FROM is not: say which address mails come from")
	}
	if _, err := notify.CheckFrom(m.MailFrom); err != nil {
		return fmt.Errorf("FERMATA_MAIL_FROM: %w", err)
	}
	return nil
}

// mailOff says why this server sends no mail; empty: it does.
func (f *Config) mailOff() string {
	switch {
	case f.SMTPURL == "":
		return handlers.MailNoServer
	case f.PublicURL == "":
		return handlers.MailNoAddress
	}
	return ""
}

// newsOf says what people are told. How they answer is another link for each way to tell them.
func newsOf(a *App) notify.Composer {
	return notify.Composer{Store: a.store.Approvals, Workspaces: a.store.Workspaces, Clock: a.clock}
}

// carriers tell people, beside the webhooks that programs have.
func carriers(a *App, pusher *notify.Pusher) (map[domain.WebhookKind]webhooks.Carrier, error) {
	all := map[domain.WebhookKind]webhooks.Carrier{domain.WebhookMail: noCarrier{}, domain.WebhookPush: noCarrier{}}
	if pusher != nil {
		all[domain.WebhookPush] = pusher
	}
	if a.flags.mailOff() != "" {
		return all, nil
	}
	links, base, news := linksOf(a), a.flags.pageURL(), newsOf(a)
	news.Link = func(asked *domain.Approval, recipient string) (string, error) {
		return linkTo(links, base, asked, recipient)
	}
	server, err := notify.ParseMailServer(a.flags.SMTPURL)
	if err != nil {
		return nil, err
	}
	from, err := notify.CheckFrom(a.flags.MailFrom)
	if err != nil {
		return nil, err
	}
	all[domain.WebhookMail] = &notify.Mail{Composer: news, Server: server, From: from, Log: a.log}
	return all, nil
}

// toldSettings have whoever the settings name told from now on, and who waits for the slot
// looked after by what they say now: a shorter patience with idle chats counts at once.
type toldSettings struct {
	*repository.WorkspaceStore
	look  func()
	slots interface{ Look(workspace string) }
	hosts *allowedHosts
}

func (s toldSettings) UpdateSettings(ctx context.Context, workspace string, patch domain.SettingsPatch) (*domain.Workspace, error) {
	w, err := s.WorkspaceStore.UpdateSettings(ctx, workspace, patch)
	if err == nil {
		s.look()
		s.slots.Look(workspace)
		s.hosts.known.Forget()
	}
	return w, err
}

func settingsPorts(a *App) handlers.SettingsPorts {
	return handlers.SettingsPorts{
		Settings: toldSettings{a.store.Workspaces, a.webhooks.Look, a.scheduling.Door, a.hosts}, Keys: keyService{a},
		Workspaces: a.store.Workspaces,
		MailOff:    a.flags.mailOff(),
	}
}

// noCarrier is where the operator has taken away what carried.
type noCarrier struct{}

func (noCarrier) Carry(context.Context, *domain.Webhook, string, string, *domain.LogEvent) webhooks.Outcome {
	return webhooks.Outcome{Result: webhooks.Unreachable, Detail: "this server has nothing to send it with"}
}

// checkMail asks the mail server whether it lets us in.
func checkMail(ctx context.Context, f *Config) []diagnosis.Finding {
	if f.SMTPURL == "" {
		return nil
	}
	const mend = "Check FERMATA_SMTP_URL: host, port, user and password; with a password the server has to offer TLS."
	server, err := notify.ParseMailServer(f.SMTPURL)
	if err == nil {
		err = server.Check(ctx)
	}
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("mail", err.Error(), mend)}
	}
	good := fmt.Sprintf("%s:%d lets us in; mails come from %s", server.Host, server.Port, f.MailFrom)
	findings := []diagnosis.Finding{diagnosis.OK("mail", good)}
	if f.PublicURL == "" {
		findings = append(findings, diagnosis.Warning("mail", "no mail is sent: its links would lead nowhere",
			"Set FERMATA_PUBLIC_URL to the address that browsers use."))
	}
	return findings
}
