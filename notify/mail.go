package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/wneessen/go-mail"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// mailTimeout bounds one attempt, from the connection to the server's reply.
const mailTimeout = 15 * time.Second

// mailServer is the SMTP server for outgoing email.
type mailServer struct {
	Host           string
	Port           int
	User, Password string
	Encrypted      bool // // TLS from the first byte
	Plain          bool // // without TLS, even with a password
}

// parseMailServer parses smtp://user:password@host:port or smtps://. With smtp, STARTTLS is used if
// the server supports it, and is required with a password, except on loopback.
func parseMailServer(text string) (*mailServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return nil, errors.New("expected smtp://user:password@host:port, or smtps:// for TLS from the first byte")
	}
	s := &mailServer{Host: u.Hostname(), User: u.User.Username(), Encrypted: u.Scheme == "smtps"}
	s.Password, _ = u.User.Password()
	port := cmp.Or(u.Port(), map[bool]string{true: "465", false: "587"}[s.Encrypted])
	if s.Port, err = strconv.Atoi(port); err != nil || s.Port < 1 || s.Port > 65535 {
		return nil, fmt.Errorf("invalid port %q", port)
	}
	s.Plain = s.Host == "localhost" || s.Host == "127.0.0.1" || s.Host == "::1"
	return s, nil
}

// client returns an SMTP client for the server.
func (s *mailServer) client() (*mail.Client, error) {
	options := []mail.Option{mail.WithPort(s.Port), mail.WithTimeout(mailTimeout)}
	switch {
	case s.Encrypted:
		options = append(options, mail.WithSSL())
	case s.User != "" && !s.Plain:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if s.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.User), mail.WithPassword(s.Password))
	}
	client, err := mail.NewClient(s.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection to the mail server: %w", err)
	}
	return client, nil
}

// Check verifies that the server is reachable and accepts our credentials.
func (s *mailServer) Check(ctx context.Context) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("reach the mail server %s:%d: %w", s.Host, s.Port, err)
	}
	return client.Close()
}

// checkFrom parses the sender address.
func checkFrom(from string) (*netmail.Address, error) {
	read, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address like fermata@example.org", from)
	}
	return read, nil
}

// Mail delivers notifications by email.
type Mail struct {
	Composer
	Server *mailServer
	From   *netmail.Address
	Log    zerolog.Logger
}

var _ webhooks.Carrier = (*Mail)(nil)

// Carry sends one email to one address. Its Message-ID is the same in each attempt.
func (m *Mail) Carry(ctx context.Context, h *outside.Webhook, _, id string, e *domain.LogEvent) webhooks.Outcome {
	t, done := m.of(ctx, e, h.URL)
	if done != nil {
		return *done
	}
	letter, err := m.letter(t, h.URL, id)
	if err != nil {
		m.Log.Error().Err(err).Str("webhook", h.ID).Msg("an email could not be composed")
		return webhooks.Outcome{Result: webhooks.Rejected, Detail: "the email could not be composed"}
	}
	client, err := m.Server.client()
	if err == nil {
		err = client.DialAndSendWithContext(ctx, letter)
	}
	if err == nil {
		return webhooks.Outcome{Result: webhooks.Delivered, Status: 250}
	}
	m.Log.Info().Err(err).Str("webhook", h.ID).Msg("an email was not accepted")
	return refusal(err)
}

// refusal classifies a failed attempt.
func refusal(err error) webhooks.Outcome {
	sent, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return webhooks.Outcome{Result: webhooks.Unreachable, Detail: "the mail server could not be reached, or rejected the credentials"}
	}
	o := webhooks.Outcome{Result: webhooks.Refused, Status: sent.ErrorCode(), Detail: "the mail server did not accept the email"}
	if o.Status >= 500 {
		o.Result, o.Detail = webhooks.Rejected, "the mail server permanently rejected the email"
	}
	return o
}

// letter composes the email.
func (m *Mail) letter(t *message, to, id string) (*mail.Msg, error) {
	letter := mail.NewMsg()
	letter.FromMailAddress(m.From)
	if err := letter.To(to); err != nil {
		return nil, fmt.Errorf("address an email: %w", err)
	}
	_, domainName, _ := strings.Cut(m.From.Address, "@")
	letter.SetMessageIDWithValue(id + "@" + domainName)
	letter.SetDateWithValue(m.Clock())
	letter.Subject("Fermata: " + t.title())
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	plain, html, err := t.mail()
	if err != nil {
		return nil, err
	}
	letter.SetBodyString(mail.TypeTextPlain, plain)
	letter.AddAlternativeString(mail.TypeTextHTML, html)
	return letter, nil
}
