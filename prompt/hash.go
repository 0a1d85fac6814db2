package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Hash is equal for answers with the same text and calls, to detect loops of a model. Call IDs,
// thoughts and the formatting of arguments are ignored.
func Hash(raw *domain.RawAnswer) string {
	if raw == nil {
		return ""
	}
	parts := []string{canonical(raw.Text)}
	for _, call := range raw.Calls {
		parts = append(parts, call.Name, canonical(call.Arguments))
	}
	encoded, _ := json.Marshal(parts) // cannot fail: only strings
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// canonical is JSON with sorted keys and without whitespace; other text is trimmed.
func canonical(text string) string {
	text = strings.TrimSpace(text)
	value, mistakes, err := jsonbody.Read([]byte(text), jsonbody.Answer)
	if err != nil || mistakes.First() != nil {
		return text
	}
	again, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return string(again)
}
