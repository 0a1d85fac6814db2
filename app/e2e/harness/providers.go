package harness

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
)

// Scripted configures the script provider with these steps as the default.
func (s *Server) Scripted(steps string) {
	s.T.Helper()
	s.Call("POST", "/v1/providers", map[string]any{
		"name": "Script", "kind": "script", "is_default": true, "config": json.RawMessage(`{"steps": ` + steps + `}`),
	}).Want(201)
}

// Configured makes a provider that calls the vendor.
func (s *Server) Configured(name, url string, isDefault bool) string {
	s.T.Helper()
	return s.Call("POST", "/v1/providers", map[string]any{
		"name": name, "kind": "openai_compatible", "is_default": isDefault, "config": openai.Compatible().Config(url, domain.ProtocolNative),
	}).Want(201).Str("id")
}
