package handlers

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// inPreferredLanguage are the workspace's settings with the language that the caller prefers of
// those that there are: who reads decides, else the workspace does.
func inPreferredLanguage(r *http.Request, settings *domain.Settings) *domain.Settings {
	best, weight := "", 0.0
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Language"), ","), ",") {
		tag, params, _ := strings.Cut(part, ";")
		language, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		if language != "en" && language != "fr" {
			continue
		}
		q := 1.0
		if text, given := strings.CutPrefix(strings.TrimSpace(params), "q="); given {
			var err error
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if q > weight {
			best, weight = language, q
		}
	}
	if best == "" || best == settings.Language {
		return settings
	}
	own := *settings
	own.Language = best
	return &own
}
