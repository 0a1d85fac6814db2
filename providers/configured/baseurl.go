package configured

import (
	"encoding/json"
	"strings"
)

// endpoints are the paths shown in vendors' documentation after the base URL. People paste the
// whole URL, and the path would be duplicated. Longer ones come first.
var endpoints = []string{"/v1/messages", "/chat/completions", "/completions", "/responses", "/embeddings", "/models"}

// withBaseURL returns a config whose base_url has no surrounding spaces, endpoint path or trailing
// slash. Values of other types are left for the schema to reject.
func withBaseURL(config json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(config, &fields) != nil {
		return config
	}
	var address string
	if json.Unmarshal(fields["base_url"], &address) != nil {
		return config
	}
	base := baseOf(address)
	if base == address || base == "" {
		return config
	}
	var err error
	if fields["base_url"], err = json.Marshal(base); err != nil {
		return config
	}
	clean, err := json.Marshal(fields)
	if err != nil {
		return config
	}
	return clean
}

func baseOf(address string) string {
	trimmed := strings.TrimSpace(address)
	base := strings.TrimRight(trimmed, "/")
	for _, e := range endpoints {
		if before, found := strings.CutSuffix(base, e); found && strings.Count(before, "/") >= 2 {
			return strings.TrimRight(before, "/")
		}
	}
	return trimmed // with its trailing slash, which the kinds handle
}
