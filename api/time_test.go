package api

import (
	"encoding/json"
	"testing"
)

func TestATimeThatIsReadCanBeWritten(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-18T08:00:00+05:30":      "2026-11-18T02:30:00.000Z",
		"9999-12-31T23:59:59.9999Z":      "9999-12-31T23:59:59.999Z",
		"0001-01-01T00:00:00Z":           "0001-01-01T00:00:00.000Z",
		"9999-12-31T23:59:59-23:59":      "", // the year 10000: no RFC 3339 has it
		"0001-01-01T00:00:00+00:01":      "",
		"2026-11-18":                     "",
		"2026-02-29T00:00:00Z":           "",
		"2026-11-18T08:00:00Z and later": "",
	} {
		var got Time
		err := json.Unmarshal([]byte(`"`+text+`"`), &got)
		if want == "" {
			if err == nil {
				t.Errorf("%s was read", text)
			}
			continue
		}
		written, failed := json.Marshal(got)
		if err != nil || failed != nil || string(written) != `"`+want+`"` {
			t.Errorf("%s is %s, %v, %v; want %s", text, written, err, failed, want)
		}
	}
}
