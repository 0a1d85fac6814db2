package app

import (
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// newPusher creates the sender of push notifications; nil if the configuration is incomplete. client is
// the shared client for outgoing requests: endpoints are entered by users.
func newPusher(a *App, client *http.Client, policy egress.Policy) (*notify.Pusher, error) {
	if notify.PushOff(a.keys.Any(), a.flags.PublicURL) != "" {
		return nil, nil
	}
	sender, err := notify.SenderOf(a.keys.Derive)
	if err != nil {
		return nil, err
	}
	page, news := a.flags.pageURL(), notificationsOf(a)
	news.Link = func(asked *domain.Approval, _ string) (string, error) { return page + "/#/approvals/" + asked.ID, nil }
	return &notify.Pusher{
		Composer: news, Client: client, Policy: policy, Sender: sender, Contact: a.flags.Contact(page), Page: page,
		Agent: "fermata/" + a.flags.Version, Log: a.log,
	}, nil
}

// subscriptionsTo manages the browsers' subscriptions to push notifications.
func subscriptionsTo(a *App, pusher *notify.Pusher) *notify.Subscriptions {
	return &notify.Subscriptions{
		Rows: a.store.Pushes, Workspaces: a.store.Workspaces, Secrets: webhooks.Secrets{Keys: a.keys}, Pusher: pusher,
		Off: notify.PushOff(a.keys.Any(), a.flags.PublicURL), NewID: a.newID, Clock: a.clock,
		Changed: func(ref outside.WebhookRef) { a.webhooks.Changed(ref) },
	}
}
