package app

import (
	"net/http"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// wireWebhooks creates the sender of events. client is the shared client for outgoing requests, and
// policy the hosts it allows.
func (a *App) wireWebhooks(client *http.Client, policy egress.Policy) error {
	pusher, err := newPusher(a, client, policy)
	if err != nil {
		return err
	}
	carriers, err := carriers(a, pusher)
	if err != nil {
		return err
	}
	a.pushes = subscriptionsTo(a, pusher)
	for _, result := range webhooks.Results {
		a.metrics.Delivered(string(result), 0)
	}
	a.webhooks = webhooks.NewLoop(webhooks.Config{
		Store: webhookStore{a.store.Webhooks, a.store.Events}, Workspaces: a.store.Workspaces,
		Secrets: webhooks.Secrets{Keys: a.keys}, Client: client, Policy: policy,
		Agent: "fermata/" + a.flags.Version, Clock: a.clock, Log: a.log, Link: linksOut(a), Carriers: carriers,
		Tried: func(r webhooks.Result) { a.metrics.Delivered(string(r), 1) },
	})
	a.metrics.Gauge("fermata_webhook_oldest_seconds", "Age of the oldest event that this node has yet to deliver to a webhook.",
		func() float64 { return a.webhooks.Oldest().Seconds() })
	return nil
}
