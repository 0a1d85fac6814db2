package people

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/egress"
)

func (s *SettingsHandlers) GetSettings(w http.ResponseWriter, r *http.Request) {
	ws, err := s.Settings.Workspace(r.Context(), edge.Caller(r).Workspace)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeSettings(w, r, &ws.Settings)
}

func (s *SettingsHandlers) UpdateSettings(w http.ResponseWriter, r *http.Request) {
	var in api.SettingsPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	id := edge.Caller(r).Workspace
	if err := s.checkSettings(r.Context(), id, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	ws, err := s.Settings.UpdateSettings(r.Context(), id, in.Domain(edge.IfMatch(r)))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeSettings(w, r, &ws.Settings)
}

func (s *SettingsHandlers) writeSettings(w http.ResponseWriter, r *http.Request, settings *domain.Settings) {
	version, err := settings.Version()
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, version)
	out := api.SettingsFrom(settings)
	if s.MailOff != "" {
		out.MailOff = &s.MailOff
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

// allowedCommand is an entry of the list of commands from outside that may be offered.
var allowedCommand = regexp.MustCompile(`^(\*|[A-Z][A-Z0-9]*\.(\*|[A-Z][A-Z0-9_]*))$`)

// checkSettings checks what no rule of form can say.
func (s *SettingsHandlers) checkSettings(ctx context.Context, ws string, in *api.SettingsPatch) error {
	if zone := in.TimeZone[true]; zone != "" {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
			return domain.Invalid("/time_zone", "unknown", "There is no time zone %q. Use an IANA name like Europe/Paris.", zone)
		}
	}
	for i, name := range in.Commands[true] {
		if !allowedCommand.MatchString(name) {
			return domain.Invalid(fmt.Sprintf("/commands/%d", i), "format",
				"Name a command from outside (GITHUB.CREATE_ISSUE), all of a connector (GITHUB.*), or all (*).")
		}
	}
	for i, host := range in.AllowedHosts[true] {
		if _, err := egress.ParseHosts([]string{host}); err != nil {
			return domain.Invalid(fmt.Sprintf("/allowed_hosts/%d", i), "format",
				"Name a host (api.example.com, or api.example.com:8443), an address, a range (203.0.113.0/24), or all public ones (*).")
		}
	}
	if err := s.checkNotifications(in.Notifications[true]); err != nil {
		return err
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
