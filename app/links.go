package app

import (
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/handlers"
)

// linkPorts sign links to approvals, with a key made of the secret key: the same on all nodes.
func linkPorts(a *App) handlers.LinkPorts {
	return handlers.LinkPorts{Links: auth.NewLinks(a.keys.DeriveAll("approval link"), a.clock), PublicURL: a.flags.pageURL()}
}
