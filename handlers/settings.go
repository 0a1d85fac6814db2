package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *settingsRoutes) getSettings(w http.ResponseWriter, r *http.Request) {
	ws, err := s.Settings.Workspace(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeSettings(w, r, &ws.Settings)
}

func (s *settingsRoutes) updateSettings(w http.ResponseWriter, r *http.Request) {
	var in api.SettingsPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	id := caller(r).Workspace
	if err := s.checkSettings(r.Context(), id, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	seen := ifMatch(r)
	ws, err := s.Settings.UpdateSettings(r.Context(), id, func(settings *domain.Settings) error {
		now, err := settingsVersion(settings)
		if err != nil {
			return err
		}
		if seen != 0 && seen != now {
			return domain.Errorf(CodePreconditionFailed, "The settings have changed since you read them. "+
				"Nothing was changed now; read them again and make your change there.")
		}
		in.Apply(settings)
		if len(settings.Prices) > maxPrices {
			return domain.Invalid("/prices", "too_large", "A workspace may have %d prices of its own.", maxPrices)
		}
		return nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeSettings(w, r, &ws.Settings)
}

func (s *settingsRoutes) writeSettings(w http.ResponseWriter, r *http.Request, settings *domain.Settings) {
	version, err := settingsVersion(settings)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, version)
	s.writeJSON(w, r, http.StatusOK, api.SettingsFrom(settings))
}

// settingsVersion is a number that other settings do not have. The settings are one
// text without a version of its own, so it is made from what clients see of them.
func settingsVersion(settings *domain.Settings) (int64, error) {
	text, err := json.Marshal(api.SettingsFrom(settings))
	if err != nil {
		return 0, fmt.Errorf("number the settings: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text)                           // a hash refuses nothing
	return int64(sum.Sum64()&math.MaxInt64) | 1, nil // never 0, which is nobody's
}

// checkSettings checks what no rule of form can say.
func (s *settingsRoutes) checkSettings(ctx context.Context, ws string, in *api.SettingsPatch) error {
	if zone := in.TimeZone[true]; zone != "" {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
			return domain.Invalid("/time_zone", "unknown", "There is no time zone %q. Use an IANA name like Europe/Paris.", zone)
		}
	}
	if err := checkPrices(in.Prices[true]); err != nil {
		return err
	}
	if err := s.checkChunks(in.PromptChunks[true]); err != nil {
		return err
	}
	for i, id := range in.FallbackProviders[true] {
		_, err := s.Providers.Provider(ctx, ws, id)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			return domain.Invalid("/fallback_providers/"+strconv.Itoa(i), "unknown", "There is no provider %q in this workspace.", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
