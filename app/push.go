package app

import (
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// pushOff explains why this server sends no push notifications; "" if it does.
func (f *Config) pushOff(keys *seal.Keys) string {
	switch {
	case !keys.Any():
		return "This server sends no pushes: its operator has set no FERMATA_SECRET_KEY, of which the key is made that signs them."
	case f.PublicURL == "":
		return "This server sends no pushes: its operator has not set FERMATA_PUBLIC_URL, the address that browsers use."
	}
	return ""
}

// newPusher creates the sender of push notifications; nil if the configuration is incomplete. client is
// the shared client for outgoing requests: endpoints are entered by users.
func newPusher(a *App, client *http.Client, policy egress.Policy) (*notify.Pusher, error) {
	if a.flags.pushOff(a.keys) != "" {
		return nil, nil
	}
	sender, err := notify.SenderOf(a.keys.Derive)
	if err != nil {
		return nil, err
	}
	page, news := a.flags.pageURL(), notificationsOf(a)
	news.Link = func(asked *domain.Approval, _ string) (string, error) { return page + "/#/approvals/" + asked.ID, nil }
	return &notify.Pusher{
		Composer: news, Client: client, Policy: policy, Sender: sender, Contact: a.flags.pushContact(), Page: page,
		Agent: "fermata/" + a.flags.Version, Log: a.log,
	}, nil
}

// pushContact is the contact address for push services: the sender address of mails, or the web app.
func (f *Config) pushContact() string {
	if from, err := notify.CheckFrom(f.MailFrom); f.MailFrom != "" && err == nil {
		return "mailto:" + from.Address
	}
	return f.pageURL()
}

// subscriptionsTo manages the browsers' subscriptions to push notifications.
func subscriptionsTo(a *App, pusher *notify.Pusher) *notify.Subscriptions {
	return &notify.Subscriptions{
		Rows: a.store.Pushes, Workspaces: a.store.Workspaces, Secrets: webhooks.Secrets{Keys: a.keys}, Pusher: pusher,
		Off: a.flags.pushOff(a.keys), NewID: a.newID, Clock: a.clock,
		Changed: func(ref outside.WebhookRef) { a.webhooks.Changed(ref) },
	}
}

// checkPush reports the contact address given to push services. Browsers accept push notifications only
// from pages over https, or on their own machine, where no check is needed.
func checkPush(f *Config) []diagnosis.Finding {
	u, err := url.Parse(f.PublicURL)
	if err != nil || f.PublicURL == "" || auth.LoopbackHost(u.Host) {
		return nil
	}
	if u.Scheme != "https" {
		return []diagnosis.Finding{diagnosis.Warning("push", "browsers accept no push notifications from a page without TLS",
			"Serve the page over TLS, and set FERMATA_PUBLIC_URL to the https address.")}
	}
	return []diagnosis.Finding{diagnosis.OK("push", "browsers can be notified; the contact for push services is "+f.pushContact())}
}
