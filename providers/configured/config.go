package configured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/providers"
)

// configure validates a config, and extracts and seals its key. The mask keeps the stored key; null
// deletes it. grant: the operator permits sending the environment variable named by the config to
// the config's origin.
func (s *Service) configure(p *outside.Provider, config json.RawMessage, grant bool) error {
	kind, ok := s.registry.Kind(p.Kind)
	if !ok { // created on a server that supports the kind
		return domain.Invalid("/config", "unknown_kind", "%s", unknownKind(p.Kind))
	}
	if len(config) == 0 {
		config = json.RawMessage("{}")
	}
	config = withBaseURL(config)
	if err := s.schemas.CheckSchema(kind.Schema, withoutNullKey(config), "/config"); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(config, &fields); err != nil {
		return domain.Invalid("/config", "type", "The config must be a JSON object.")
	}
	key, given := fields["api_key"]
	delete(fields, "api_key")
	stored, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("encode the config: %w", err)
	}
	origin, err := originOf(kind, stored)
	if err != nil {
		return unusableConfig(err)
	}
	was := p.Config
	p.Config = stored
	kept := true
	if given {
		if kept, err = s.takeKey(p, key, origin); err != nil {
			return err
		}
	}
	if kept && p.SecretSealed != "" {
		if err := checkKept(kind, was, origin); err != nil {
			return err
		}
	}
	if err := s.checkEnv(p, origin, grant); err != nil {
		return err
	}
	secret := "unknown"
	if p.SecretSealed == "" {
		secret = ""
	}
	if _, err := kind.New(stored, secret, s.client); err != nil {
		return unusableConfig(err)
	}
	return nil
}

func unusableConfig(err error) error {
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return known // it refers to the field
	}
	return domain.Invalid("/config", "unusable", "This configuration cannot be used: %v.", err)
}

// checkKept rejects a new origin for a stored key: permission to change a provider must not reveal
// its key.
func checkKept(kind providers.Kind, was json.RawMessage, origin string) error {
	if before, err := originOf(kind, was); err == nil && before == origin {
		return nil
	}
	return domain.Invalid("/config/api_key", "enter_again",
		"The stored key was entered for another base URL and is never sent elsewhere. Enter the key again; nothing was changed.")
}

// checkEnv rejects an environment variable that this provider may not use.
func (s *Service) checkEnv(p *outside.Provider, origin string, grant bool) error {
	var common providers.Config
	if err := json.Unmarshal(p.Config, &common); err != nil {
		return fmt.Errorf("read the config: %w", err)
	}
	if common.APIKeyEnv == "" {
		p.EnvGrant = ""
		return nil
	}
	if grant {
		p.EnvGrant = envGrant(common.APIKeyEnv, origin)
	}
	return s.env.check(common.APIKeyEnv, origin, p.EnvGrant)
}

// names reports whether a patch contains one of these members.
func names(patch json.RawMessage, members ...string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(patch, &fields) != nil {
		return false
	}
	return slices.ContainsFunc(members, func(m string) bool { _, ok := fields[m]; return ok })
}

// takeKey stores the key that was sent, for an origin, or reports that the stored one is kept.
func (s *Service) takeKey(p *outside.Provider, raw json.RawMessage, origin string) (kept bool, err error) {
	var key *string
	if err := json.Unmarshal(raw, &key); err != nil {
		return false, domain.Invalid("/config/api_key", "type", "The key must be a string.")
	}
	if key == nil || *key == "" {
		p.SecretSealed, p.SecretMask = "", ""
		return false, nil
	}
	if *key == p.SecretMask && p.SecretSealed != "" {
		return true, nil
	}
	entered := strings.TrimSpace(*key) // copied text often ends with a line break
	if !isKey(entered) {
		return false, domain.Invalid("/config/api_key", "format",
			"A key may contain only visible ASCII characters, without spaces or line breaks. Copy it again.")
	}
	sealed, err := sealKey(s.keys, entered, p, origin)
	if err != nil {
		return false, err
	}
	p.SecretSealed, p.SecretMask = sealed, mask(entered)
	return false, nil
}

// withoutNullKey removes a null key before validation: null deletes the key.
func withoutNullKey(config json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(config, &fields) != nil || !bytes.Equal(bytes.TrimSpace(fields["api_key"]), []byte("null")) {
		return config
	}
	delete(fields, "api_key")
	b, err := json.Marshal(fields)
	if err != nil {
		return config
	}
	return b
}

// mergeConfig merges a patch into the stored config. A null key is kept in the result for the
// caller: the key itself is stored elsewhere.
func mergeConfig(stored, patch json.RawMessage) (json.RawMessage, error) {
	have, err := jsonbody.Value(stored)
	if err != nil {
		return nil, fmt.Errorf("read the stored config: %w", err)
	}
	given, err := jsonbody.Value(patch)
	fields, isObject := given.(map[string]any)
	if err != nil || !isObject {
		return nil, domain.Invalid("/config", "type", "The config must be a JSON object.")
	}
	key, named := fields["api_key"]
	merged, _ := mergepatch.Merge(have, fields).(map[string]any) // both are objects
	if named && key == nil {
		merged["api_key"] = nil
	}
	return jsonbody.Encode(merged), nil
}
