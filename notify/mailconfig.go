package notify

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/secretfile"
)

// MailConfig configures the SMTP server for notifications.
type MailConfig struct {
	SMTPURL     string `help:"Mail server: smtp://user:password@host:port, or smtps://." env:"FERMATA_SMTP_URL" secret:"url" name:"smtp-url"`
	SMTPURLFile string `help:"File that contains it." env:"FERMATA_SMTP_URL_FILE" hidden:"" name:"smtp-url-file"`
	MailFrom    string `help:"Sender address of mails." env:"FERMATA_MAIL_FROM"`
}

// ResolveMail reads the secret file and rejects an incomplete configuration.
func (c *MailConfig) ResolveMail() error {
	if err := secretfile.Fill(map[*string]string{&c.SMTPURL: c.SMTPURLFile}); err != nil {
		return err
	}
	if c.SMTPURL == "" {
		if c.MailFrom != "" {
			return errors.New("FERMATA_MAIL_FROM is set without FERMATA_SMTP_URL: set the mail server too")
		}
		return nil
	}
	if _, err := parseMailServer(c.SMTPURL); err != nil {
		return fmt.Errorf("FERMATA_SMTP_URL: %w", err)
	}
	if c.MailFrom == "" {
		return errors.New("FERMATA_SMTP_URL is set without FERMATA_MAIL_FROM: set the sender address too")
	}
	if _, err := checkFrom(c.MailFrom); err != nil {
		return fmt.Errorf("FERMATA_MAIL_FROM: %w", err)
	}
	return nil
}

// OpenMail returns the sender of mails with the contents that composer decides on.
func (c *MailConfig) OpenMail(composer Composer, log zerolog.Logger) (*Mail, error) {
	server, err := parseMailServer(c.SMTPURL)
	if err != nil {
		return nil, err
	}
	from, err := checkFrom(c.MailFrom)
	if err != nil {
		return nil, err
	}
	return &Mail{Composer: composer, Server: server, From: from, Log: log}, nil
}

// Contact is the address at which others reach the operator: the sender of mails, or else the web app.
func (c *MailConfig) Contact(page string) string {
	if from, err := checkFrom(c.MailFrom); c.MailFrom != "" && err == nil {
		return "mailto:" + from.Address
	}
	return page
}

// DiagnoseMail signs in to the mail server, for `fermata doctor`. publicURL is the address that links begin with.
func (c *MailConfig) DiagnoseMail(ctx context.Context, publicURL string) []diagnosis.Finding {
	if c.SMTPURL == "" {
		return nil
	}
	const fix = "Check FERMATA_SMTP_URL: host, port, user and password; with a password the server must offer TLS."
	server, err := parseMailServer(c.SMTPURL)
	if err == nil {
		err = server.Check(ctx)
	}
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("mail", err.Error(), fix)}
	}
	good := fmt.Sprintf("%s:%d accepts the sign-in; mails are sent from %s", server.Host, server.Port, c.MailFrom)
	findings := []diagnosis.Finding{diagnosis.OK("mail", good)}
	if publicURL == "" {
		findings = append(findings, diagnosis.Warning("mail", "no mail is sent, because its links would have no address",
			"Set FERMATA_PUBLIC_URL to the address that browsers use."))
	}
	return findings
}
