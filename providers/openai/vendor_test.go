package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
)

// The path of a request is a path also where the base URL is a bare host, as
// Perplexity's is.
func TestPathOfARequest(t *testing.T) {
	for config, want := range map[string]string{
		`{"base_url":"http://h"}`:         "/models",
		`{"base_url":"http://h/"}`:        "/models",
		`{"base_url":"http://h/v1"}`:      "/v1/models",
		`{"base_url":"http://h/v1/"}`:     "/v1/models",
		`{"base_url":"http://h/a%2Fb/v"}`: "/a%2Fb/v/models",
		`{"preset":"perplexity"}`:         "/models",
	} {
		asked := ""
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.RequestURI()
			return nil, errors.New("seen")
		})}
		if _, err := compatible().models(t.Context(), json.RawMessage(config), "", client); err == nil || asked != want {
			t.Errorf("%s asks for %s, want %s (%v)", config, asked, want, err)
		}
	}
}
