package rounds

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// An answer in words results in the same decision and record as the same answer over the API.
func TestAnAnswerInWordsIsTheAnswerOfTheAPI(t *testing.T) {
	asked := func(kind domain.ApprovalKind, schema string) *domain.Approval {
		return &domain.Approval{Kind: kind, ResponseSchema: json.RawMessage(schema)}
	}
	for name, c := range map[string]struct {
		asked *domain.Approval
		text  string
		body  string
	}{
		"yes to actions":           {asked(domain.ApprovalActions, ""), "yes", `{"approved":true}`},
		"no to actions":            {asked(domain.ApprovalActions, ""), "Non.", `{"approved":false}`},
		"yes to a budget":          {asked(domain.ApprovalBudget, ""), "oui", `{"approved":true}`},
		"no to a sign-in":          {asked(domain.ApprovalReconnect, ""), "no", `{"approved":false}`},
		"it is done":               {asked(domain.ApprovalCompletion, ""), "yes", `{"confirmed":true}`},
		"yes to a question":        {asked(domain.ApprovalQuestion, `{"type":"boolean"}`), "yes", `{"value":true}`},
		"no to a question":         {asked(domain.ApprovalQuestion, `{"type":"boolean"}`), "no", `{"value":false}`},
		"a text":                   {asked(domain.ApprovalQuestion, `{"type":"string"}`), " Yes! ", `{"value":"Yes!"}`},
		"one of several":           {asked(domain.ApprovalQuestion, `{"type":"string","enum":["Oui","Non"]}`), "no", `{"value":"Non"}`},
		"one of others: no answer": {asked(domain.ApprovalQuestion, `{"type":"string","enum":["red"]}`), "no", ""},
		"an outcome: no answer":    {asked(domain.ApprovalOutcome, ""), "yes", ""},
	} {
		yes, is := parseYesNo(c.text)
		got, ok := decisionFromText(c.asked, c.text, yes)
		if !is || ok != (c.body != "") {
			t.Errorf("%s: %v %v", name, is, ok)
		}
		if c.body == "" {
			continue
		}
		var in api.ApprovalAnswer
		if err := json.Unmarshal([]byte(c.body), &in); err != nil {
			t.Fatal(err)
		}
		want, err := in.Domain(c.asked.Kind)
		if err != nil {
			t.Fatal(err)
		}
		one, _ := json.Marshal(got)
		other, _ := json.Marshal(want)
		if string(one) != string(other) {
			t.Errorf("%s: in words %s, by the API %s", name, one, other)
		}
	}
}
