package edge

import (
	"net/http/httptest"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func TestTheCallersLanguageComesFirst(t *testing.T) {
	for header, want := range map[string]string{
		"": "fr", "en": "en", "en-GB,fr;q=0.5": "en", "fr;q=0.4, en;q=0.8": "en", "fr-CA": "fr", "de, es": "fr", "de,en;q=0.1": "en",
		"en;q=0": "fr", "en;q=x": "fr", "*": "fr", "EN-us": "en", ";;,,;q=": "fr",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if header != "" {
			r.Header.Set("Accept-Language", header)
		}
		settings := domain.Settings{Language: "fr"}
		if got := InPreferredLanguage(r, &settings).Language; got != want || settings.Language != "fr" {
			t.Errorf("%q in a French workspace: %q, want %q", header, got, want)
		}
	}
}
