package machine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// responseSchema is the JSON Schema of the answer to an approval, so that a client can
// make a form of it. That of a question comes with its module.
func responseSchema(a *domain.Approval) json.RawMessage {
	switch a.Kind {
	case domain.ApprovalActions:
		return actionsSchema(a.Actions)
	case domain.ApprovalBudget:
		return answerSchema("approved", `"approved":{"type":"boolean"},"limit":{"type":"number","exclusiveMinimum":0}`)
	case domain.ApprovalCompletion:
		return answerSchema("confirmed", `"confirmed":{"type":"boolean"},"comment":{"type":"string","maxLength":10000}`)
	case domain.ApprovalOutcome:
		return answerSchema("outcome", `"outcome":{"type":"string","enum":["happened","did_not","run_again"]}`)
	case domain.ApprovalClientCalls:
		return answerSchema("approved", `"approved":{"const":false}`)
	case domain.ApprovalPoisoned, domain.ApprovalReconnect:
		return answerSchema("approved", `"approved":{"type":"boolean"}`)
	}
	return a.ResponseSchema
}

// actionsSchema names the actions, of which a part can be approved or edited.
func actionsSchema(actions []domain.ApprovalAction) json.RawMessage {
	ids := make([]string, len(actions))
	for i := range actions {
		ids[i] = `"` + actions[i].ID + `"`
	}
	one := `{"type":"string","enum":[` + strings.Join(ids, ",") + `]}`
	if len(ids) == 0 {
		one = `false`
	}
	passkey := ""
	if slices.ContainsFunc(actions, func(a domain.ApprovalAction) bool { return a.Sensitive }) {
		passkey = `,"passkey":{"type":"object"}`
	}
	return answerSchema("approved", `"approved":{"type":"boolean"},`+
		`"approved_ids":{"type":"array","uniqueItems":true,"items":`+one+`},`+
		`"edits":{"type":"object","propertyNames":`+one+`,"additionalProperties":{"type":"object"}},`+
		`"comment":{"type":"string","maxLength":10000}`+passkey)
}

func answerSchema(required, properties string) json.RawMessage {
	return json.RawMessage(
		`{"type":"object","required":["` + required + `"],"additionalProperties":false,"properties":{` + properties + `}}`,
	)
}
