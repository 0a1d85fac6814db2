package edge

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// InPreferredLanguage are the workspace's settings with the language that the caller prefers of
// those that there are: who reads decides, else the workspace does.
func InPreferredLanguage(r *http.Request, settings *domain.Settings) *domain.Settings {
	best := PreferredLanguage(r)
	if best == "" || best == settings.Language {
		return settings
	}
	own := *settings
	own.Language = best
	return &own
}

// PreferredLanguage is the one of those that there are which the caller prefers; "" if it names none of them.
func PreferredLanguage(r *http.Request) string {
	best, weight := "", 0.0
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Language"), ","), ",") {
		tag, params, _ := strings.Cut(part, ";")
		language, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		if !slices.Contains(domain.Languages, language) {
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
	return best
}

// ApprovalFor and MessageFor write in the language that the caller prefers, else as it is stored: in
// the workspace's.
func ApprovalFor(r *http.Request) func(*domain.Approval) *api.Approval {
	language := PreferredLanguage(r)
	return func(a *domain.Approval) *api.Approval { return api.ApprovalFrom(a.In(language)) }
}

func MessageFor(r *http.Request) func(*domain.Message) *api.Message {
	language := PreferredLanguage(r)
	return func(m *domain.Message) *api.Message { return api.MessageFrom(m.In(language)) }
}

// readerOf is the language of a problem: the one that the caller prefers, else the workspace's. That is looked up for
// mistakes of the caller alone, so that a database in trouble is not asked once more.
func readerOf(s *Edge, r *http.Request, p *problem) string {
	if language := PreferredLanguage(r); language != "" {
		return language
	}
	mistake := p.Status < 500 && p.Status != http.StatusTooManyRequests
	if who := Caller(r); mistake && who != nil && who.Workspace != "" && s.Language != nil {
		return s.Language(r.Context(), who.Workspace)
	}
	return ""
}
