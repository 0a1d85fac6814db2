package configured

import (
	"encoding/json"
	"strings"
)

// endpoints are what vendors' documentation shows behind the base URL. People paste the whole
// address, and the path would be sent twice. The longer ones come first.
var endpoints = []string{"/v1/messages", "/chat/completions", "/completions", "/responses", "/embeddings", "/models"}

// withBaseURL is a config whose base_url is the base alone, without spaces around it, an endpoint
// behind it or a slash at its end. What is no object or no text stays, for the schema to refuse.
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
	return trimmed // a slash at its end is as it was: the kinds know it
}
