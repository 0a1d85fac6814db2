package people

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
)

// SettingsPatch changes the settings of a workspace by a JSON merge patch, in which null restores a default. Exceptions: a
// limit set to null is none, a model loses its own price, and a chunk is as it was built in. Version is the one that the
// client saw; 0: any.
type SettingsPatch struct {
	Version int64
	Fields  mergepatch.Patch[domain.Settings]
}

// maxPrices bounds the prices of a workspace's own.
const maxPrices = 200

// object is a JSON object.
type object = map[string]any

// Apply merges the patch into settings, if they are still those that the client saw.
func (p SettingsPatch) Apply(s *domain.Settings) error {
	if err := p.sameVersion(s); err != nil {
		return err
	}
	given, err := objectOf(p.Fields)
	if err != nil {
		return err
	}
	if err := restoreDefaults(given, s); err != nil {
		return err
	}
	applyPresets(given, s)
	if err := checkPrices(given, s.Prices); err != nil {
		return err
	}
	whole, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("encode a change of the settings: %w", err)
	}
	if err := mergepatch.Patch[domain.Settings](whole).Apply(s); err != nil {
		return err
	}
	if _, named := given["prompt_chunks"]; named { // else the map is shared
		maps.DeleteFunc(s.PromptChunks, func(_ string, c domain.ChunkChange) bool { return c == domain.ChunkChange{} })
	}
	if len(s.Prices) > maxPrices {
		return domain.Invalid("/prices", "too_large", "A workspace may have %d prices of its own.", maxPrices)
	}
	return nil
}

func (p SettingsPatch) sameVersion(s *domain.Settings) error {
	if p.Version == 0 {
		return nil
	}
	now, err := s.Version()
	if err != nil {
		return err
	}
	if p.Version != now {
		return domain.Errorf(domain.CodePreconditionFailed, "The settings have changed since you read them. "+
			"Nothing was changed now; read them again and make your change there.")
	}
	return nil
}

// objectOf reads a JSON object, whose numbers keep their digits.
func objectOf(text []byte) (object, error) {
	fields := object{}
	if len(text) == 0 {
		return fields, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("read a change of the settings: %w", err)
	}
	return fields, nil
}

// restoreDefaults replaces each null that restores a default by that default.
func restoreDefaults(given object, s *domain.Settings) error {
	text, err := json.Marshal(domain.DefaultSettings())
	if err != nil {
		return fmt.Errorf("encode the default settings: %w", err)
	}
	defaults, err := objectOf(text)
	if err != nil {
		return err
	}
	// A merge with an empty object changes nothing, so these two are emptied here.
	if value, named := given["prices"]; named && value == nil {
		s.Prices = domain.Prices{}
	}
	if value, named := given["prompt_chunks"]; named && value == nil {
		s.PromptChunks = map[string]domain.ChunkChange{}
	}
	restore(given, defaults)
	for _, name := range []string{"network_retry", "file_budget", "notifications", "limits"} {
		if part, ok := given[name].(object); ok {
			restore(part, defaults[name].(object))
		}
	}
	return nil
}

func restore(given, defaults object) {
	for name, value := range given {
		if value == nil {
			given[name] = defaults[name]
		}
	}
}

// applyPresets applies the presets of limits. The limits beside a preset come after it.
func applyPresets(given object, s *domain.Settings) {
	limits, _ := given["limits"].(object)
	for name, of := range map[string]struct {
		limits *domain.Limits
		kind   domain.SessionType
	}{"chat": {&s.Limits.Chat, domain.Chat}, "automation": {&s.Limits.Automation, domain.Run}} {
		part, _ := limits[name].(object)
		if part["preset"] != nil { // strict is the only preset
			of.limits.Strict(of.kind)
		}
		delete(part, "preset")
	}
}

// checkPrices refuses a part of a price for a model that has none yet.
func checkPrices(given object, now domain.Prices) error {
	models, _ := given["prices"].(object)
	for _, model := range slices.Sorted(maps.Keys(models)) {
		price, set := models[model].(object)
		if _, priced := now[model]; !set || priced {
			continue
		}
		for _, field := range []string{"input", "output"} {
			if price[field] == nil {
				at := "/prices/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(model)
				return domain.Invalid(at+"/"+field, "required", "The model has no price of its own yet, so this is needed.")
			}
		}
	}
	return nil
}
