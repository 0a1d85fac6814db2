package handlers_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// meant lists what is refused for what it means, though its form is right: no schema can say
// these. Pointers and code of the refusal stand beside the operation.
var meant = []struct{ operation, refusal, why string }{
	{"", `/(.*/)?(name|title|tags/\d+) .*`, "a name is one line of characters that are seen"},
	{"createKey", `/expires_at .*`, "a time is of the past or not"},
	{"answerApproval", `/(approved|value|cancelled|limit|confirmed|outcome) (not_allowed|required)`, "the approval's kind decides"},
	{"createAgent", `/commands/\d+ (unknown_command|duplicate|itself)`, "what the server can do"},
	{"updateAgent", `/commands/\d+ (unknown_command|duplicate|itself)`, "what the server can do"},
	{"createAgent", `/(description|system_prompt) required`, "a text of blanks is none"},
	{"updateAgent", `/(description|system_prompt) required`, "a text of blanks is none"},
	{"", `/provider_id unknown_provider`, "there is one of this id, or not"},
	{"createProvider", `/kind .*`, "there is one of this name, or not"},
	{"createConnector", `/kind unknown_kind`, "the server has this kind, or not"},
	{"createTool", `/zone_id .*`, "there is one of this id, or not"},
	{"updateTool", `/zone_id .*`, "there is one of this id, or not"},
	{"createWebhook", `/url bad_url`, "an address is written as addresses are"},
	{"updateWebhook", `/url bad_url`, "an address is written as addresses are"},
	{"createMyPushSubscription", `/endpoint bad_url`, "an address is written as addresses are"},
	{"createMyPushSubscription", `/keys/(p256dh|auth) wrong_format`, "a key is a point of a curve, and a secret has 16 bytes"},
	{"createMyPushSubscription", `/expirationTime past`, "the time is over, or not"},
	{"replayWebhook", `/after future`, "the log has come to this number, or not"},
	{"createZone", `/colour format`, "a colour is written as colours are"},
	{"updateZone", `/colour format`, "a colour is written as colours are"},
	{"previewSchedule", `/schedule/(expression|starts_at) .*`, "a time is written as times are"},
	{"updateSettings", `/prices/[^/]+/(input|output) required`, "the model has a price already, or not"},
	{"createSession", `/answer_schema not_allowed`, "it is that of the answer to the message, which is there or not"},
	{"sendMessage", `/answer_schema not_allowed`, "a message that joins a round has no answer of its own"},
	{"", `/answer_schema(/.*)? (schema|too_large|recursive|not_supported|unsatisfiable)`, "it is a schema that some value satisfies, or not"},
	{"", `/segments too_large`, "it is the text of all segments together"},
	{"updateSettings", `/(commands/\d+|allowed_hosts/\d+|fallback_providers/\d+|prompt_chunks/.*|time_zone) .*`, "there is one of this name, or not"},
	{"updateSettings", `/notifications/(quiet_hours/to same|mail_to no_mail|mail_to/\d+ (format|repeated))`, "an address is one, and hours have an end"},
}

// TestTheContractIsNeitherLooserNorStricter sends every operation bodies made from its schema:
// those that the contract allows are not refused for their form, those that it does not allow
// are refused and do not go on.
func TestTheContractIsNeitherLooserNorStricter(t *testing.T) {
	c := servertest.NewWorld(t).ServeAlone(t)
	v := values{rand.New(rand.NewPCG(1, 2))}
	paths := testkit.LoadContract(t).Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		all := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(all)) {
			op := all[method]
			if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil || op.OperationID == "callWebhook" {
				continue
			}
			schema := op.RequestBody.Value.Content["application/json"].Schema.Value
			for i := range 40 {
				body := v.of(schema, 1+i%4)
				if i%2 == 1 {
					body = v.broken(body)
				}
				allowed := schema.VisitJSON(body) == nil
				raw, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				if len(raw) > edge.MaxBody {
					continue
				}
				got := c.Do(method, there.Replace(path), string(raw))
				switch {
				case allowed && (got.Status == 400 || got.Status == 413 || got.Status == 422) && !meantBy(op.OperationID, got):
					t.Errorf("%s: the contract allows %.300s, the server answers %d %.300s", op.OperationID, raw, got.Status, got.Text)
				case !allowed && got.Status != 422 && got.Status != 400:
					t.Errorf("%s: the contract does not allow %.300s, the server answers %d", op.OperationID, raw, got.Status)
				}
			}
		}
	}
}

// meantBy says whether all that a refusal names is refused for its meaning.
func meantBy(operation string, got servertest.Reply) bool {
	list, _ := got.Body["errors"].([]any)
	for _, e := range list {
		pointer, _ := e.(map[string]any)["pointer"].(string)
		code, _ := e.(map[string]any)["code"].(string)
		known := false
		for _, m := range meant {
			known = known || (m.operation == "" || m.operation == operation) && regexp.MustCompile("^(?:"+m.refusal+")$").MatchString(pointer+" "+code)
		}
		if !known {
			return false
		}
	}
	return len(list) > 0
}
