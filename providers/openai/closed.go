package openai

import "encoding/json"

// closed says whether a JSON Schema is one that "strict" takes: every object lists all
// its members as required and allows no others, and no keyword is one that "strict" does not know. One that is
// not would be refused.
func closed(schema []byte) bool {
	var node any
	return json.Unmarshal(schema, &node) == nil && closedNode(node)
}

// loose are keywords that "strict" refuses.
var loose = []string{
	"allOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
	"minLength", "maxLength", "minProperties", "maxProperties", "uniqueItems", "contains", "prefixItems", "default",
}

// forObject says whether a JSON Schema allows objects only: OpenAI takes no others.
func forObject(schema []byte) bool {
	var root struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &root) == nil && root.Type == "object"
}

func closedNode(node any) bool {
	switch n := node.(type) {
	case []any:
		for _, inner := range n {
			if !closedNode(inner) {
				return false
			}
		}
	case map[string]any:
		if n["type"] == "object" && !closedObject(n) {
			return false
		}
		for _, name := range loose {
			if _, there := n[name]; there {
				return false
			}
		}
		for _, inner := range n {
			if !closedNode(inner) {
				return false
			}
		}
	}
	return true
}

func closedObject(n map[string]any) bool {
	properties, _ := n["properties"].(map[string]any)
	required, _ := n["required"].([]any)
	return n["additionalProperties"] == false && len(required) == len(properties)
}
