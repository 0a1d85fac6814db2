package repository

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// settingsCache caches decoded settings: every decision reads them, and they hardly ever change.
// The cached values are shared and must not be modified.
type settingsCache struct {
	mu sync.RWMutex
	by map[string]domain.Settings
}

// maxSettings limits the number of cached texts; when it is exceeded the cache is cleared.
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

// settingsOf decodes settings. A setting that is missing in the text gets its default.
func settingsOf(text string) (domain.Settings, error) {
	settings := domain.DefaultSettings()
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return settings, fmt.Errorf("read the settings: %w", err)
	}
	return settings, nil
}
