package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	peopleapi "github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/secretfile"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/repository"
)

// Mail configures the SMTP server for notifications.
type Mail struct {
	SMTPURL     string `help:"Mail server: smtp://user:password@host:port, or smtps://." env:"FERMATA_SMTP_URL" secret:"url" name:"smtp-url"`
	SMTPURLFile string `help:"File that contains it." env:"FERMATA_SMTP_URL_FILE" hidden:"" name:"smtp-url-file"`
	MailFrom    string `help:"Sender address of mails." env:"FERMATA_MAIL_FROM"`
}

// resolve reads the secret file and rejects an incomplete configuration.
func (m *Mail) resolve() error {
	if err := secretfile.Fill(map[*string]string{&m.SMTPURL: m.SMTPURLFile}); err != nil {
		return err
	}
	if m.SMTPURL == "" {
		if m.MailFrom != "" {
			return errors.New("FERMATA_MAIL_FROM is set without FERMATA_SMTP_URL: set the mail server too")
		}
		return nil
	}
	if _, err := notify.ParseMailServer(m.SMTPURL); err != nil {
		return fmt.Errorf("FERMATA_SMTP_URL: %w", err)
	}
	if m.MailFrom == "" {
		return errors.New("FERMATA_SMTP_URL is set without FERMATA_MAIL_FROM: set the sender address too")
	}
	if _, err := notify.CheckFrom(m.MailFrom); err != nil {
		return fmt.Errorf("FERMATA_MAIL_FROM: %w", err)
	}
	return nil
}

// mailOff explains why this server sends no mail; "" if it does.
func (f *Config) mailOff() string {
	switch {
	case f.SMTPURL == "":
		return peopleapi.MailNoServer
	case f.PublicURL == "":
		return peopleapi.MailNoAddress
	}
	return ""
}

// notificationsOf creates the texts of notifications. Their links differ by channel.
func notificationsOf(a *App) notify.Composer {
	return notify.Composer{Store: a.store.Approvals, Workspaces: a.store.Workspaces, Clock: a.clock}
}

// carriers deliver notifications to people, besides the webhooks of programs.
func carriers(a *App, pusher *notify.Pusher) (map[outside.WebhookKind]webhooks.Carrier, error) {
	all := map[outside.WebhookKind]webhooks.Carrier{outside.WebhookMail: noCarrier{}, outside.WebhookPush: noCarrier{}}
	if pusher != nil {
		all[outside.WebhookPush] = pusher
	}
	if a.flags.mailOff() != "" {
		return all, nil
	}
	links, base, news := linksOf(a), a.flags.pageURL(), notificationsOf(a)
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
	all[outside.WebhookMail] = &notify.Mail{Composer: news, Server: server, From: from, Log: a.log}
	return all, nil
}

// notifyingSettings applies changed settings at once: the recipients of notifications are updated, and
// queued sessions are checked again, since a shorter idle timeout of chats takes effect immediately.
type notifyingSettings struct {
	*repository.WorkspaceStore
	look  func()
	slots interface{ Look(workspace string) }
	hosts *allowedHosts
}

func (s notifyingSettings) UpdateSettings(ctx context.Context, workspace string, patch domain.SettingsPatch) (*domain.Workspace, error) {
	w, err := s.WorkspaceStore.UpdateSettings(ctx, workspace, patch)
	if err == nil {
		s.look()
		s.slots.Look(workspace)
		s.hosts.cache.Clear()
	}
	return w, err
}

func settingsPorts(a *App) peopleapi.SettingsPorts {
	return peopleapi.SettingsPorts{
		Settings: notifyingSettings{a.store.Workspaces, a.webhooks.Look, a.scheduling.Door, a.hosts}, Keys: a.keyService(),
		Providers: a.providers, Chunks: prompt.Chunks, MailOff: a.flags.mailOff(),
	}
}

// noCarrier replaces a channel that the operator has disabled.
type noCarrier struct{}

func (noCarrier) Carry(context.Context, *outside.Webhook, string, string, *domain.LogEvent) webhooks.Outcome {
	return webhooks.Outcome{Result: webhooks.Unreachable, Detail: "this channel is not configured on this server"}
}

// checkMail signs in to the mail server.
func checkMail(ctx context.Context, f *Config) []diagnosis.Finding {
	if f.SMTPURL == "" {
		return nil
	}
	const fix = "Check FERMATA_SMTP_URL: host, port, user and password; with a password the server must offer TLS."
	server, err := notify.ParseMailServer(f.SMTPURL)
	if err == nil {
		err = server.Check(ctx)
	}
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("mail", err.Error(), fix)}
	}
	good := fmt.Sprintf("%s:%d accepts the sign-in; mails are sent from %s", server.Host, server.Port, f.MailFrom)
	findings := []diagnosis.Finding{diagnosis.OK("mail", good)}
	if f.PublicURL == "" {
		findings = append(findings, diagnosis.Warning("mail", "no mail is sent, because its links would have no address",
			"Set FERMATA_PUBLIC_URL to the address that browsers use."))
	}
	return findings
}
