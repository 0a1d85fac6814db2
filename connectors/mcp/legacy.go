package mcp

import (
	"crypto/sha256"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/cache"
)

// legacyServers remembers which connectors' programs use a revision before 2026-07-28. Some of them exit
// when they receive the new handshake, and would be started twice each time.
type legacyServers struct {
	before cache.Map[string, [32]byte] // hash of the config it was learned with, by connector ID
}

func (h *legacyServers) asBefore(c *outside.Connector) bool {
	config, known := h.before.Get(c.ID)
	return known && config == sha256.Sum256(c.Config)
}

func (h *legacyServers) learn(c *outside.Connector, before bool) {
	if before {
		h.before.Set(c.ID, sha256.Sum256(c.Config))
	} else {
		h.before.Delete(c.ID)
	}
}
