package commands

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// decode reads params that fit their schema already.
func decode[P any](params json.RawMessage) (P, error) {
	var p P
	if err := jsonbody.Strictly(params, &p); err != nil {
		return p, domain.Invalid("", "params", "The params cannot be read: %v.", err)
	}
	return p, nil
}

// flags are the params that every action takes beside its own.
type flags struct {
	repeat     bool
	validation bool
}

// canonical reads a model's parameters, removes these flags, and returns them with sorted keys and no
// spaces, so that the same request has the same bytes. Null counts as absent; NUL becomes U+FFFD, which
// every database accepts.
func canonical(params json.RawMessage, taken ...string) (json.RawMessage, flags, error) {
	var f flags
	if len(bytes.TrimSpace(params)) == 0 {
		return json.RawMessage("{}"), f, nil
	}
	value, err := jsonbody.Value(params)
	if err != nil {
		return nil, f, data.Unread("", "The params are", err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, f, domain.Invalid("", "type", "The params are an object, like {}.")
	}
	for name, v := range fields {
		if v == nil {
			delete(fields, name)
		}
	}
	for _, name := range taken {
		flag, err := takeFlag(fields, name)
		if err != nil {
			return nil, f, err
		}
		f.repeat = f.repeat || flag && name == definitions.Repeat
		f.validation = f.validation || flag && name == definitions.Validation
	}
	return jsonbody.Encode(fields), f, nil
}

func takeFlag(fields map[string]any, name string) (bool, error) {
	value, ok := fields[name]
	if !ok {
		return false, nil
	}
	flag, ok := value.(bool)
	if !ok {
		return false, domain.Invalid("/"+name, "type", "%s is true or false.", name)
	}
	delete(fields, name)
	return flag, nil
}

// commandID is the hash of type and sorted params.
func commandID(name string, params json.RawMessage) string {
	return hash("command", name, string(params))
}

// hash joins parts so that different lists of parts have different bytes.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// storable turns a model's parameters into valid JSON that can be stored.
func storable(params json.RawMessage) json.RawMessage {
	if value, err := jsonbody.Value(params); err == nil {
		return jsonbody.Encode(value)
	}
	text := string(params)
	if len(text) > 4096 {
		text = text[:4096]
	}
	return jsonbody.Encode(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"))
}
