package passkeys

import (
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol"
)

// The library takes names in any case, the last one winning; what was signed counts by exact names.
func TestClientDataByExactNames(t *testing.T) {
	const good = `"type":"webauthn.get","challenge":"YQ","origin":"https://fermata.example"`
	for text, want := range map[string]bool{
		`{` + good + `}`: true,
		`{` + good + `,"crossOrigin":false,"other_keys_can_be_added_here":"x"}`: true,
		`{` + good + `,"Challenge":"Yg"}`:                                       false,
		`{"Challenge":"YQ",` + good + `}`:                                       true, // both read the same
		`{` + good + `,"ORIGIN":"https://evil.example"}`:                        false,
		`{` + good + `,"Type":"webauthn.create"}`:                               false,
		`{` + good + `,"CrossOrigin":true}`:                                     false,
		`{` + good + `,"challenge":"YQ"}`:                                       false,
		`{"Type":"webauthn.get","challenge":"YQ","origin":"https://x"}`:         false,
	} {
		var read protocol.CollectedClientData
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Fatal(err)
		}
		if got := readsExactly([]byte(text), &read); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
