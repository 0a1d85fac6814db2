package connectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Mask replaces a secret in a config. Sending it back keeps the secret.
const Mask = "…"

// secrets are the secret values of a config, by member name and, for members that are objects, by
// key ("" for strings).
type secrets map[string]map[string]string

func (s secrets) put(member, name, value string) {
	if s[member] == nil {
		s[member] = map[string]string{}
	}
	s[member][name] = value
}

// place is the sealing context of a connector's secrets: its kind and origin.
func place(c *outside.Connector, origin string) seal.Place {
	return seal.Place{"connector", c.WorkspaceID, c.ID, string(c.Kind), origin}
}

// PlaceOf returns the sealing context of a stored connector's secrets.
func (s *Service) PlaceOf(workspace, id, kindName string, config json.RawMessage) (seal.Place, error) {
	kind, err := s.kind(outside.ConnectorKind(kindName))
	if err != nil {
		return nil, err
	}
	origin, err := kind.Origin(config)
	if err != nil {
		return nil, fmt.Errorf("read the stored config: %w", err)
	}
	return place(&outside.Connector{WorkspaceID: workspace, ID: id, Kind: kind.Name}, origin), nil
}

func (s *Service) sealSecrets(all secrets, c *outside.Connector, origin string) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	if !s.keys.Any() {
		return "", domain.Invalid("/config", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it cannot store secrets. Set it (the same on all nodes). Nothing was changed.")
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("encode the secrets: %w", err)
	}
	return s.keys.Seal(string(text), place(c, origin))
}

// errSecrets is returned if a connector's secrets cannot be decrypted. Its text says what to do.
var errSecrets = errors.New("the stored secrets cannot be read: FERMATA_SECRET_KEY is missing or has changed; enter them again")

// openSecrets decrypts a connector's secrets if they were entered for this origin.
func openSecrets(keys *seal.Keys, c *outside.Connector, origin string) (secrets, error) {
	if c.SecretSealed == "" {
		return secrets{}, nil
	}
	text, err := keys.Open(c.SecretSealed, place(c, origin))
	if err != nil {
		return nil, errors.Join(errSecrets, err)
	}
	var all secrets
	if err := exactjson.Unmarshal([]byte(text), &all); err != nil {
		return nil, errors.Join(errSecrets, err)
	}
	return all, nil
}

// reveal replaces the masks of a config with the secrets.
func (s secrets) reveal(config json.RawMessage) (json.RawMessage, error) {
	var fields map[string]any
	if err := exactjson.Unmarshal(config, &fields); err != nil {
		return nil, fmt.Errorf("read the config: %w", err)
	}
	for member, values := range s {
		for name, value := range values {
			if name == "" {
				fields[member] = value
			} else if object, ok := fields[member].(map[string]any); ok {
				object[name] = value
			}
		}
	}
	return jsonbody.Encode(fields), nil
}

// hide extracts the secrets from a config and replaces them with masks. An existing mask keeps the
// secret in before; without one it is rejected.
func (k *Kind) hide(fields map[string]any, before secrets) (found secrets, kept []string, err error) {
	found = secrets{}
	for _, member := range k.Secrets {
		switch v := fields[member].(type) {
		case string:
			if v == "" {
				delete(fields, member)
				continue
			}
			if fields[member], err = takeSecret(found, before, member, "", v, &kept); err != nil {
				return nil, nil, err
			}
		case map[string]any:
			for name, value := range v {
				text, ok := value.(string)
				if !ok {
					return nil, nil, domain.Invalid(pointerTo(member, name), "type", "This must be a string.")
				}
				if v[name], err = takeSecret(found, before, member, name, text, &kept); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return found, kept, nil
}

func takeSecret(found, before secrets, member, name, text string, kept *[]string) (string, error) {
	at := pointerTo(member, name)
	if text == Mask {
		stored, ok := before[member][name]
		if !ok {
			return "", domain.Invalid(at, "enter_again", "No secret is stored here. Enter the secret itself; nothing was changed.")
		}
		*kept = append(*kept, at)
		found.put(member, name, stored)
		return Mask, nil
	}
	text = strings.TrimSpace(text) // copied text often ends with a line break
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) || text == "" {
		return "", domain.Invalid(at, "format", "A secret may contain only visible ASCII characters on one line. Copy it again.")
	}
	found.put(member, name, text)
	return Mask, nil
}

func pointerTo(member, name string) string {
	at := "/config/" + member
	if name != "" {
		at += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(shorten.Characters(name, 60))
	}
	return at
}

// makeSecrets generates the secrets that are missing in a config.
func (k *Kind) makeSecrets(config json.RawMessage) (json.RawMessage, secrets, error) {
	if len(k.Made) == 0 {
		return config, nil, nil
	}
	fields, err := objectOf(config)
	if err != nil {
		return nil, nil, err
	}
	made := secrets{}
	for member, secret := range k.Made {
		if given, _ := fields[member].(string); given == "" {
			text := secret()
			fields[member] = text
			made.put(member, "", text)
		}
	}
	return jsonbody.Encode(fields), made, nil
}

// shown returns a connector with its generated secrets, which are shown once.
func shown(c *outside.Connector, made secrets) (*outside.Connector, error) {
	if len(made) == 0 {
		return c, nil
	}
	own := *c
	var err error
	own.Config, err = made.reveal(c.Config)
	return &own, err
}

// jsonText encodes a string as a JSON value.
func jsonText(text string) json.RawMessage { return jsonbody.Encode(text) }
