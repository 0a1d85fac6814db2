package commands

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
)

// visibleJSON escapes invisible characters in the texts and names within a JSON value. Values without any
// keep their bytes.
func visibleJSON(value json.RawMessage) json.RawMessage {
	var b strings.Builder
	kept := 0 // what precedes it is in b
	for at := 0; at < len(value); at++ {
		if value[at] != '"' {
			continue
		}
		end := at + 1
		for end < len(value) && value[end] != '"' {
			if value[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(value))
		var text string
		if json.Unmarshal(value[at:end], &text) == nil {
			if shown := visible.Text(text); shown != text {
				b.Write(value[kept:at])
				b.Write(jsonbody.Encode(shown))
				kept = end
			}
		}
		at = end - 1
	}
	if kept == 0 {
		return value
	}
	b.Write(value[kept:])
	return json.RawMessage(b.String())
}
