package mcp

import (
	"crypto/sha256"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// maxHabits bounds the connectors that are remembered.
const maxHabits = 1024

// habits remembers which connectors' programs speak a revision before 2026-07-28: some of them
// end when they are greeted in the new way, and would be started twice each time.
type habits struct {
	mu     sync.Mutex
	before map[string][32]byte // the hash of the config with which it was found out, by the connector's id
}

func (h *habits) asBefore(c *domain.Connector) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	config, known := h.before[c.ID]
	return known && config == sha256.Sum256(c.Config)
}

func (h *habits) learn(c *domain.Connector, before bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !before {
		delete(h.before, c.ID)
		return
	}
	if len(h.before) >= maxHabits {
		clear(h.before)
	}
	h.before[c.ID] = sha256.Sum256(c.Config)
}
