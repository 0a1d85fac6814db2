package responses

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// What other hosts' items are passed over, and what is refused is named.
func TestItemsOfAnInput(t *testing.T) {
	for item, want := range map[string]string{
		`{"role":"user","content":"hi"}`:                                       "user hi",
		`{"type":"message","role":"assistant","content":"yes"}`:                "assistant yes",
		`{"id":"msg_1","role":"assistant","content":"yes"}`:                    "assistant yes",
		`{"type":"item_reference","id":"msg_1"}`:                               "reference msg_1",
		`{"id":"msg_1"}`:                                                       "reference msg_1",
		`{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`:   "passed over",
		`{"type":"function_call_output","call_id":"c","output":"42"}`:          "tool 42",
		`{"type":"custom_tool_call","call_id":"c","name":"f","input":"x"}`:     "passed over",
		`{"type":"custom_tool_call_output","call_id":"c","output":"ok"}`:       "passed over",
		`{"type":"web_search_call","id":"ws_1","action":{"type":"search"}}`:    "passed over",
		`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":""}`: "passed over",
		`{"type":"local_shell_call","id":"ls_1"}`:                              "passed over",
		`{"type":"mcp_approval_request","id":"mcpr_1"}`:                        "passed over",
		`{"type":"compaction_summary","encrypted_content":"x"}`:                "passed over",
		`{"type":"telepathy","id":"t_1"}`:                                      `refused "telepathy"`,
		`{"type":"message","role":"robot","content":"x"}`:                      "refused role",
	} {
		var in wireItem
		if err := json.Unmarshal([]byte(item), &in); err != nil {
			t.Fatal(err)
		}
		m, err := in.read("/input/0")
		got := m.Role + " " + m.Text
		switch {
		case err != nil && strings.Contains(err.Error(), `"telepathy"`):
			got = `refused "telepathy"`
		case err != nil:
			got = "refused role"
		case m.isCall:
			got = "passed over"
		case m.ref != "":
			got = "reference " + m.ref
		}
		if got != want {
			t.Errorf("%s is %s, want %s", item, got, want)
		}
	}
}

// store: false is taken, and said back.
func TestAResponseThatIsNotStored(t *testing.T) {
	for body, stored := range map[string]bool{
		`{"model":"fermata","input":"hi"}`:               true,
		`{"model":"fermata","input":"hi","store":true}`:  true,
		`{"model":"fermata","input":"hi","store":false}`: false,
	} {
		r, err := readRequest([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		out := newResponse(&rounds.Found{Session: "ses_1", Placed: &domain.Message{ID: "msg_1"}}, r.metadata())
		if out.Store != stored {
			t.Errorf("%s: store is %v", body, out.Store)
		}
	}
}
