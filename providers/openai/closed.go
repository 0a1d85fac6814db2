package openai

import "encoding/json"

// closed says whether a JSON Schema is one that "strict" takes: every object lists all
// its members as required and allows no others. One that is not would be refused.
func closed(schema []byte) bool {
	var node any
	return json.Unmarshal(schema, &node) == nil && closedNode(node)
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
