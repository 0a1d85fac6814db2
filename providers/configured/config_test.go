package configured

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// A part of the prices is a part of the prices, as everywhere; the key is not in what is
// stored, so null is still there for the caller.
func TestAConfigIsMerged(t *testing.T) {
	stored := json.RawMessage(`{"model":"m","prices":{"input":1,"output":2,"cache_read":0.5},"headers":["a"]}`)
	for patch, want := range map[string]string{
		`{"prices":{"output":3,"cache_read":null}}`: `{"headers":["a"],"model":"m","prices":{"input":1,"output":3}}`,
		`{"prices":null,"headers":["b"]}`:           `{"headers":["b"],"model":"m"}`,
		`{"api_key":null,"model":"n"}`:              `{"api_key":null,"headers":["a"],"model":"n","prices":{"cache_read":0.5,"input":1,"output":2}}`,
		`{"api_key":"k","prices":null}`:             `{"api_key":"k","headers":["a"],"model":"m"}`,
		`{}`:                                        `{"headers":["a"],"model":"m","prices":{"cache_read":0.5,"input":1,"output":2}}`,
	} {
		got, err := mergeConfig(stored, json.RawMessage(patch))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", patch, got, err)
		}
	}
	for _, patch := range []string{`[]`, `null`, `"m"`, `{`} {
		if _, err := mergeConfig(stored, json.RawMessage(patch)); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%s: %v", patch, err)
		}
	}
}
