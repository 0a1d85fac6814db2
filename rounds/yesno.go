package rounds

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// YesNo reads a message that says yes or no, and nothing else.
func ParseYesNo(text string) (yes, ok bool) {
	word := strings.ToLower(strings.TrimRight(strings.TrimSpace(text), ".!"))
	for yes, words := range answerWords {
		if slices.Contains(words, word) {
			return yes, true
		}
	}
	return false, false
}

// sameWord are the words of one meaning, in every language in which one may be said.
var answerWords = map[bool][]string{true: {"yes", "oui"}, false: {"no", "non"}}

// ByText is the decision that a yes or no is about what is asked; ok is false for what is not
// answered with one.
func DecisionFromText(a *domain.Approval, text string, yes bool) (d domain.Decision, ok bool) {
	switch a.Kind {
	case domain.ApprovalActions, domain.ApprovalBudget, domain.ApprovalCompletion, domain.ApprovalReconnect:
		return domain.Decision{Approved: yes}, true
	case domain.ApprovalQuestion:
	default:
		return d, false
	}
	var schema struct {
		Type string   `json:"type"`
		Enum []string `json:"enum"`
	}
	if json.Unmarshal(a.ResponseSchema, &schema) != nil {
		return d, false
	}
	var value any
	switch {
	case schema.Type == "boolean":
		value = yes
	case schema.Type == "string" && len(schema.Enum) == 0:
		value = strings.TrimSpace(text)
	default:
		i := slices.IndexFunc(schema.Enum, func(option string) bool { return slices.Contains(answerWords[yes], strings.ToLower(option)) })
		if i < 0 {
			return d, false
		}
		value = schema.Enum[i]
	}
	d.Approved = true                // as any answer to a question, whatever it says
	d.Value, _ = json.Marshal(value) // a text or a boolean: cannot fail
	return d, true
}
