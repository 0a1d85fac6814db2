package app

import (
	"github.com/fermata-dev/fermata/auth"
	sessionsapi "github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/notify/webhooks"
)

// linksOf signs links to approvals with a key derived from the secret key: the same on all nodes.
func linksOf(a *App) *notify.Links {
	return &notify.Links{
		Signer: auth.NewLinks(a.keys.DeriveAll("approval link"), a.clock), Page: a.flags.pageURL(), Store: a.store.Approvals,
	}
}

func linkPorts(a *App) sessionsapi.LinkPorts {
	return sessionsapi.LinkPorts{Links: linksOf(a).Signer, Withdraw: a.store.Approvals.WithdrawLinks}
}

// linksOut creates the links in webhooks; nil if there can be none.
func linksOut(a *App) webhooks.Link {
	if links := linksOf(a); links.Any() {
		return links.Of
	}
	return nil
}
