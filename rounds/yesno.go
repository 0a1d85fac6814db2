package rounds

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// parseYesNo reads a message that is yes or no and nothing else, in any language.
func parseYesNo(text string) (yes, ok bool) {
	word := strings.ToLower(strings.TrimRight(strings.TrimSpace(text), ".!"))
	for yes, words := range answerWords {
		if slices.Contains(words, word) {
			return yes, true
		}
	}
	return false, false
}

// answerWords are the words for yes and no in all languages.
var answerWords = map[bool][]string{true: {"yes", "oui"}, false: {"no", "non"}}

// decisionFromText returns the decision that an answer of yes or no means; ok is false for
// approvals that cannot be answered with one.
func decisionFromText(a *domain.Approval, text string, yes bool) (d domain.Decision, ok bool) {
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
	d.Approved = true                // like every answer to a question
	d.Value, _ = json.Marshal(value) // a text or a boolean: cannot fail
	return d, true
}
