package vendors

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	anthropic "github.com/fermata-dev/fermata/providers/anthropic/fake"
	gemini "github.com/fermata-dev/fermata/providers/gemini/fake"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// vendors are the fakes of all providers; the first is what the others are held
// against.
var vendors = slices.Concat(
	[]suite.Fake{openai.OpenAI(), openai.Compatible()}, openai.Presets(),
	[]suite.Fake{anthropic.Claude()},
	[]suite.Fake{gemini.Gemini()},
)

// Whatever the vendor, the same conversation leaves the same record: messages,
// results, events, and their order. Only ids, times and usage differ.
func TestVendorsLeaveTheSameRecord(t *testing.T) {
	for _, protocol := range []domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON} {
		var first map[string]any
		for _, vendor := range vendors {
			if vendor.NoCalls && protocol == domain.ProtocolNative {
				continue
			}
			t.Run(string(protocol)+"/"+vendor.Name, func(t *testing.T) {
				got := converse(t, vendor, protocol)
				if first == nil {
					first = got
					checkFirst(t, got)
					return
				}
				for part, want := range first {
					if !reflect.DeepEqual(got[part], want) {
						t.Errorf("%s: the record is\n%s\nthat of %s is\n%s", part, lines(got[part]), vendors[0].Name, lines(want))
					}
				}
			})
		}
	}
}

// checkFirst holds the record that the others are compared with against what it
// should be.
func checkFirst(t *testing.T, record map[string]any) {
	t.Helper()
	for part, want := range map[string]string{
		"plain: words":                 "USER AI USER AI",
		"queries: words":               "USER AI DATA_ADDED AI USER AI DATA_ADDED AI",
		"actions with approval: words": "USER AI ACTIONS_EXECUTED AI",
	} {
		if got := fmt.Sprint(record[part]); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
	messages := lines(record["actions with approval: messages"])
	for _, word := range []string{`"CREATE_ZONE"`, `"Health"`, `"SUCCESS"`, `"It is there."`} {
		if !strings.Contains(messages, word) {
			t.Errorf("the record does not hold %s: %s", word, messages)
		}
	}
}

// converse holds the conversations with a vendor's fake and gives the record of each.
func converse(t *testing.T, vendor suite.Fake, protocol domain.Protocol) map[string]any {
	t.Helper()
	return converseAt(t, vendor, protocol, func(dialogue suite.Dialogue) string {
		player := vendor.Play(dialogue.Replies(protocol)...)
		server := httptest.NewServer(player)
		t.Cleanup(func() {
			server.Close()
			if player.Left() != 0 {
				t.Errorf("%s: %d replies were not asked for", dialogue.Name, player.Left())
			}
		})
		return server.URL
	})
}

// converseAt does so with the server at the URL of a chat.
func converseAt(t *testing.T, vendor suite.Fake, protocol domain.Protocol, at func(suite.Dialogue) string) map[string]any {
	t.Helper()
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	record := map[string]any{}
	for _, dialogue := range suite.Conversations() {
		config := vendor.Config(at(dialogue), protocol)
		config["api_key"] = "sk-of-the-fake-0123456789"
		id := s.Call("POST", "/v1/providers", map[string]any{"name": dialogue.Name, "kind": vendor.Kind, "config": config}).Want(201).Str("id")
		chat := s.Call("POST", "/v1/sessions", map[string]any{"provider_id": id}).Want(201).Str("id")
		for _, step := range dialogue.Steps {
			if step.Approve {
				s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true}).Want(200)
				s.Settle(chat)
				continue
			}
			s.Say(chat, step.Say)
		}
		record[dialogue.Name+": words"] = strings.Join(s.Record(chat), " ")
		record[dialogue.Name+": messages"] = plain(t, s.Call("GET", "/v1/sessions/"+chat+"/messages?limit=200", nil).Want(200))
		record[dialogue.Name+": events"] = plain(t, s.Call("GET", "/v1/sessions/"+chat+"/events?after=0&limit=200", nil).Want(200))
	}
	return record
}

// The key of a vendor is missing at the configured place: that is reported, and no call is made.
func TestModelsWithoutTheirKey(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	id := s.Call("POST", "/v1/providers", map[string]any{
		"name": "OpenAI", "kind": "openai", "config": map[string]any{"model": "m", "api_key_env": "FERMATA_PROVIDER_KEY_NONE"},
	}).Want(201).Str("id")
	r := s.Call("GET", "/v1/providers/"+id+"/models", nil).Problem(503, "provider_failed")
	if !strings.Contains(r.Str("detail"), "FERMATA_PROVIDER_KEY_NONE") {
		t.Errorf("the answer does not say what is missing: %s", r.Body)
	}
	s.Call("POST", "/v1/providers", `{"name":"Keyless","kind":"openai","config":{"model":"m"}}`).Problem(422, "invalid")
}

// vendorsOwn are the members of a record that may differ from vendor to vendor.
var vendorsOwn = map[string]bool{
	"usage": true, "cost": true, "tokens": true, "model": true, "provider": true, "provider_id": true, "provider_kind": true, "signature": true,
	"at": true, "timestamp": true, "duration_ms": true, "digest": true,
}

var ownID = regexp.MustCompile(`\b[a-z]+_[0-9a-f]{32}\b`)

// plain is an answer of the API without what may differ; ids become their kind and
// their number in the order in which they first come.
func plain(t *testing.T, r *harness.Reply) any {
	t.Helper()
	known := map[string]string{}
	text := ownID.ReplaceAllStringFunc(string(r.Body), func(id string) string {
		if known[id] == "" {
			known[id] = fmt.Sprintf("%s_%d", id[:strings.IndexByte(id, '_')], len(known))
		}
		return known[id]
	})
	var all struct {
		Data []any `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all.Data) == 0 {
		t.Fatalf("no list: %v in %s", err, text)
	}
	return stripped(all.Data)
}

func stripped(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if vendorsOwn[key] || strings.HasSuffix(key, "_at") || strings.HasSuffix(key, "_time") {
				delete(v, key)
				continue
			}
			v[key] = stripped(inner)
		}
	case []any:
		for i := range v {
			v[i] = stripped(v[i])
		}
	}
	return value
}

// lines is a record with one element to a line.
func lines(value any) string {
	all, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	var b strings.Builder
	for _, one := range all {
		text, _ := json.Marshal(one) // it came from JSON
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// A rejected config is reported by field.
func TestAConfigThatContradictsItself(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	refused := s.Call("POST", "/v1/providers", map[string]any{
		"name": "Claude", "kind": "anthropic", "config": map[string]any{"model": "m", "thinking": "adaptive", "temperature": 1},
	}).Want(422)
	if got := string(refused.Body); !strings.Contains(got, `"pointer":"/config/temperature"`) {
		t.Errorf("got %s", got)
	}
}
