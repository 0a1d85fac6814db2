package gemini

import (
	"encoding/json"

	"google.golang.org/genai"

	"github.com/fermata-dev/fermata/providers"
)

// rawArgs is the only member of rewritten arguments: their text as it came.
const rawArgs = "fermata:text"

var errNotGemini = providers.Errorf(providers.ClassNetwork, "the answer cannot be read: it is not what the Gemini API sends")

// keepArguments puts the text of each call's arguments into a string, where the
// library leaves it alone: read as a map, numbers would lose digits and keys their
// order, and what is sent back would not be what the model wrote.
func keepArguments(object map[string]json.RawMessage) ([]byte, error) {
	var candidates []map[string]json.RawMessage
	if json.Unmarshal(object["candidates"], &candidates) != nil {
		return nil, errNotGemini
	}
	for _, candidate := range candidates {
		var content map[string]json.RawMessage
		var parts []map[string]json.RawMessage
		if !present(candidate["content"]) {
			continue
		}
		if json.Unmarshal(candidate["content"], &content) != nil {
			return nil, errNotGemini
		}
		if !present(content["parts"]) {
			continue
		}
		if json.Unmarshal(content["parts"], &parts) != nil {
			return nil, errNotGemini
		}
		for _, part := range parts {
			if err := keepText(part); err != nil {
				return nil, err
			}
		}
		if err := set(content, "parts", parts); err != nil {
			return nil, err
		}
		if err := set(candidate, "content", content); err != nil {
			return nil, err
		}
	}
	if err := set(object, "candidates", candidates); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

func keepText(part map[string]json.RawMessage) error {
	if !present(part["functionCall"]) {
		return nil
	}
	var call map[string]json.RawMessage
	if json.Unmarshal(part["functionCall"], &call) != nil {
		return errNotGemini
	}
	text := "{}"
	if present(call["args"]) {
		text = string(call["args"])
	}
	if err := set(call, "args", map[string]string{rawArgs: text}); err != nil {
		return err
	}
	return set(part, "functionCall", call)
}

func set(object map[string]json.RawMessage, name string, value any) error {
	if object == nil {
		return errNotGemini
	}
	b, err := json.Marshal(value)
	if err != nil {
		return errNotGemini
	}
	object[name] = b
	return nil
}

// textOfArguments is what the model wrote.
func textOfArguments(call *genai.FunctionCall) string {
	if text, ok := call.Args[rawArgs].(string); ok {
		return text
	}
	b, err := json.Marshal(call.Args)
	if err != nil || len(call.Args) == 0 {
		return "{}"
	}
	return string(b)
}
