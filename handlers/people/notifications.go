package people

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// Why a server sends no mail.
const (
	MailNoServer  = "no_server"
	MailNoAddress = "no_address"
)

var mailOffSays = map[string]string{
	MailNoServer:  "This server sends no mail: its operator has set no FERMATA_SMTP_URL.",
	MailNoAddress: "This server sends no mail: links in mails need FERMATA_PUBLIC_URL, and its operator has not set it.",
}

// checkNotifications validates the rules of recipients that the schema cannot express.
func (s *SettingsHandlers) checkNotifications(in api.SettingsPatchNotifications) error {
	if q, given := in.QuietHours[true]; given {
		if err := (&domain.QuietHours{From: q.From, To: q.To}).Check(); err != nil {
			return err
		}
	}
	to := in.MailTo[true]
	if len(to) > 0 && s.MailOff != "" {
		return domain.Invalid("/notifications/mail_to", "no_mail", "%s", mailOffSays[s.MailOff])
	}
	for i, address := range to {
		at := fmt.Sprintf("/notifications/mail_to/%d", i)
		read, err := mail.ParseAddress(address)
		if err != nil || read.Address != address || !strings.Contains(address, "@") {
			return domain.Invalid(at, "format", "This is no address like ada@example.org.")
		}
		if slices.Contains(to[:i], address) {
			return domain.Invalid(at, "repeated", "This address is listed twice.")
		}
	}
	return nil
}
