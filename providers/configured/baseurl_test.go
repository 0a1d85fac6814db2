package configured

import (
	"encoding/json"
	"testing"
)

func TestBaseURLsAsPeoplePasteThem(t *testing.T) {
	for given, want := range map[string]string{
		"https://h/v1":                          "https://h/v1",
		"https://h/v1/":                         "https://h/v1/",
		" https://h/v1 ":                        "https://h/v1",
		"https://h/v1\n":                        "https://h/v1",
		"\thttps://h/v1\u00a0":                  "https://h/v1",
		"https://h/v1/chat/completions":         "https://h/v1",
		"https://h/v1/chat/completions/ ":       "https://h/v1",
		"https://h/api/v1/responses":            "https://h/api/v1",
		"https://h/openai/v1/embeddings":        "https://h/openai/v1",
		"https://h/v1/models":                   "https://h/v1",
		"https://api.anthropic.com/v1/messages": "https://api.anthropic.com",
		"https://completions":                   "https://completions",
		"https://h/mycompletions":               "https://h/mycompletions",
		"":                                      "",
	} {
		config, err := json.Marshal(map[string]string{"base_url": given, "model": "m"})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			BaseURL string `json:"base_url"`
			Model   string `json:"model"`
		}
		if err := json.Unmarshal(withBaseURL(config), &got); err != nil || got.BaseURL != want || got.Model != "m" {
			t.Errorf("%q: %+v, %v, want %q", given, got, err, want)
		}
	}
	for _, left := range []string{`{}`, `{"base_url":5}`, `{"base_url":null}`, `[]`, `nonsense`} {
		if got := withBaseURL(json.RawMessage(left)); string(got) != left {
			t.Errorf("%s became %s", left, got)
		}
	}
}
