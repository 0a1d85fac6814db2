package mcp

import (
	"crypto/sha256"
	"sync"

	"github.com/fermata-dev/fermata/domain/outside"
)

// maxLegacy bounds the remembered connectors.
const maxLegacy = 1024

// legacyServers remembers which connectors' programs use a revision before 2026-07-28. Some of them exit
// when they receive the new handshake, and would be started twice each time.
type legacyServers struct {
	mu     sync.Mutex
	before map[string][32]byte // hash of the config it was learned with, by connector ID
}

func (h *legacyServers) asBefore(c *outside.Connector) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	config, known := h.before[c.ID]
	return known && config == sha256.Sum256(c.Config)
}

func (h *legacyServers) learn(c *outside.Connector, before bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !before {
		delete(h.before, c.ID)
		return
	}
	if len(h.before) >= maxLegacy {
		clear(h.before)
	}
	h.before[c.ID] = sha256.Sum256(c.Config)
}
