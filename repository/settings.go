package repository

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
)

// settingsCache caches decoded settings: every decision reads them, and they hardly ever change.
// The cached values are shared and must not be modified.
type settingsCache struct {
	by cache.Map[string, domain.Settings] // by their text
}

func (c *settingsCache) of(text string) (domain.Settings, error) {
	settings, ok := c.by.Get(text)
	if ok {
		return settings, nil
	}
	settings, err := settingsOf(text)
	if err != nil {
		return settings, err
	}
	c.by.Set(text, settings)
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
