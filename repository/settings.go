package repository

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// settingsCache keeps what the texts of settings mean: every decision reads them, and
// they hardly ever change. What it gives is shared between decisions, which only read
// it.
type settingsCache struct {
	mu sync.RWMutex
	by map[string]domain.Settings
}

// maxSettings bounds the texts that are kept; one too many empties the cache.
const maxSettings = 256

func (c *settingsCache) of(text string) (domain.Settings, error) {
	c.mu.RLock()
	settings, ok := c.by[text]
	c.mu.RUnlock()
	if ok {
		return settings, nil
	}
	settings, err := settingsOf(text)
	if err != nil {
		return settings, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.by) >= maxSettings || c.by == nil {
		c.by = map[string]domain.Settings{}
	}
	c.by[text] = settings
	return settings, nil
}

// settingsOf reads settings. One that the text does not know yet has its default.
func settingsOf(text string) (domain.Settings, error) {
	settings := domain.DefaultSettings()
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return settings, fmt.Errorf("read the settings: %w", err)
	}
	return settings, nil
}
