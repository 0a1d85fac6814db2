package domain

import (
	"strings"
	"testing"
	"time"
)

// Whatever a call fails with is a sentence in both languages, without the program's words.
func TestEveryFailureHasWords(t *testing.T) {
	codes := []FailureCode{
		FailureNetwork, FailureUnusable, FailureForbidden, FailureTooLarge, FailureInternal, "provider_rate_limited", "provider_overloaded",
		"provider_authentication", "provider_invalid_request", "provider_refused", "provider_of_tomorrow", "",
	}
	for code := range failureTexts {
		codes = append(codes, code)
	}
	seen := map[string]FailureCode{}
	for _, code := range codes {
		text := code.Summary()
		if text.EN == "" || text.FR == "" || text.EN == text.FR {
			t.Errorf("%s: %+v", code, text)
		}
		for _, words := range []string{text.EN, text.FR} {
			if strings.Contains(words, "provider_") || !strings.HasSuffix(words, ".") || words[:1] != strings.ToUpper(words[:1]) {
				t.Errorf("%s: %q", code, words)
			}
		}
		if _, known := failureTexts[code]; known && seen[text.FR] != "" && seen[text.FR] != code {
			t.Errorf("%s says the same as %s", code, seen[text.FR])
		}
		seen[text.FR] = code
	}
}

// What earlier versions stored as one sentence is read apart, and nothing else is.
func TestFailuresOfEarlierVersions(t *testing.T) {
	at := time.Date(2030, 1, 2, 8, 26, 9, 0, time.UTC)
	for text, want := range map[string]SystemMessage{
		"the key was refused: Incorrect API key provided: [key] (provider_authentication)": {
			Code: "provider_authentication", Detail: "the key was refused: Incorrect API key provided: [key]",
		},
		"not allowed (FERMATA_ALLOWED_HOSTS can allow private hosts) (provider_invalid_request)": {
			Code: "provider_invalid_request", Detail: "not allowed (FERMATA_ALLOWED_HOSTS can allow private hosts)",
		},
		"two\nlines (internal)": {Code: FailureInternal, Detail: "two\nlines"},
		"The call of the AI failed: HTTP 429 (slow_down). Your message is kept; retry when the provider is back. It may be called again at 08:26:17 UTC (in 8s).": {
			Code: FailureNetwork, Detail: "HTTP 429 (slow_down).", RetryAt: new(at.Add(8 * time.Second)),
		},
		"The call of the AI failed: connection refused.": {Code: FailureNetwork, Detail: "connection refused."},
		"nothing of the kind":                            {},
	} {
		stored := &SystemMessage{Type: SystemNetworkError, Summary: text}
		got := stored.Failure(at)
		if got.Code != want.Code || got.Detail != want.Detail || (got.RetryAt == nil) != (want.RetryAt == nil) ||
			want.RetryAt != nil && !got.RetryAt.Equal(*want.RetryAt) || stored.Code != "" {
			t.Errorf("%q: %+v", text, got)
		}
		if words := want.Code.Summary(); want.Code != "" && (got.Summary != words.EN || got.Translations["fr"] != words.FR) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, other := range []*SystemMessage{nil, {Type: SystemGuidance, Summary: "x (internal)"}, {Type: SystemNetworkError, Summary: "x (internal)", Code: "own"}} {
		if got := other.Failure(at); got != other {
			t.Errorf("%+v became %+v", other, got)
		}
	}
}
