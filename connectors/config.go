package connectors

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxConfig bounds a config in bytes.
const maxConfig = 64 << 10

// configure validates a config entered by a person, and extracts and seals its secrets.
func (s *Service) configure(kind *Kind, c *outside.Connector, config json.RawMessage) error {
	if len(config) > maxConfig {
		return domain.Invalid("/config", "too_long", "A config can have at most %d bytes.", maxConfig)
	}
	if err := s.schemas.CheckSchema(kind.Schema, config, "/config"); err != nil {
		return err
	}
	fields, err := objectOf(config)
	if err != nil {
		return err
	}
	origin, err := kind.Origin(config)
	if err != nil {
		return unusable(err)
	}
	before, was, err := s.secretsOf(kind, c)
	if err != nil {
		before = nil // masked secrets cannot be restored: they must be entered again
	}
	found, kept, err := kind.hide(fields, before)
	if err != nil {
		return err
	}
	if len(kept) > 0 && was != origin {
		return domain.Invalid(kept[0], "enter_again",
			"The stored secret was entered for %s and is never sent to another scheme, host or port. Enter it again; nothing was changed.", was)
	}
	sealed, err := s.sealSecrets(found, c, origin)
	if err != nil {
		return err
	}
	c.Config, c.SecretSealed = jsonbody.Encode(fields), sealed
	return nil
}

func unusable(err error) error {
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return known
	}
	return domain.Invalid("/config", "unusable", "This configuration cannot be used: %v.", err)
}

// secretsOf returns the stored secrets and the origin they belong to.
func (s *Service) secretsOf(kind *Kind, c *outside.Connector) (all secrets, origin string, err error) {
	if len(c.Config) == 0 { // it is being created
		return nil, "", nil
	}
	if origin, err = kind.Origin(c.Config); err != nil {
		return nil, "", fmt.Errorf("read the stored config: %w", err)
	}
	all, err = openSecrets(s.keys, c, origin)
	return all, origin, err
}

func objectOf(config json.RawMessage) (map[string]any, error) {
	value, err := jsonbody.Value(config)
	fields, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil, domain.Invalid("/config", "type", "The config must be a JSON object.")
	}
	return fields, nil
}

// mergeConfig merges a patch into the stored config.
func mergeConfig(stored, patch json.RawMessage) (json.RawMessage, error) {
	have, err := jsonbody.Value(stored)
	if err != nil {
		return nil, fmt.Errorf("read the stored config: %w", err)
	}
	given, err := objectOf(patch)
	if err != nil {
		return nil, err
	}
	return jsonbody.Encode(mergepatch.Merge(have, given)), nil
}
