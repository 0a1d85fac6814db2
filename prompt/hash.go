package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Hash is the same for answers that say and ask the same: it tells whether a model
// goes in circles. Call ids, thoughts and the layout of arguments are left out.
func Hash(raw *domain.RawAnswer) string {
	if raw == nil {
		return ""
	}
	parts := []string{canonical(raw.Text)}
	for _, call := range raw.Calls {
		parts = append(parts, call.Name, canonical(call.Arguments))
	}
	encoded, _ := json.Marshal(parts) // strings only: it cannot fail
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// canonical is JSON with sorted keys and no spaces; other text without outer spaces.
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
