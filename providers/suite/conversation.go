package suite

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
)

// Dialogue is what a person does and what a model says to it. Whatever the
// vendor, the same conversation leaves the same record but for ids and usage.
type Dialogue struct {
	Name  string
	Steps []Step
	said  []said
}

// Step is what a person does: says something, or answers the open approval.
type Step struct {
	Say     string
	Approve bool
}

// said is a reply in either protocol.
type said struct {
	text    []string
	calls   []Call
	actions bool // the calls are actions
}

// Conversations are the three that every provider holds: plain words, queries, and an
// action that a person approves. The third needs a workspace that asks for validation.
func Conversations() []Dialogue {
	return []Dialogue{
		{
			Name:  "plain",
			Steps: []Step{{Say: "Good morning"}, {Say: "How are \"you\"?"}},
			said:  []said{{text: []string{"Good ", "morning. 😀"}}, {text: []string{"Fine, ", "thanks.\n\n- one\n- \"two\""}}},
		},
		{
			Name:  "queries",
			Steps: []Step{{Say: "What is there?"}, {Say: "Nothing else?"}},
			said: []said{
				{text: []string{"I look."}, calls: []Call{
					{ID: "id_a", Name: "ZONES", Arguments: `{}`},
					{ID: "id_b", Name: "SCHEMA", Arguments: `{"of":"entry","tool_type":"journal"}`},
				}},
				{text: []string{"Nothing ", "yet."}},
				{calls: []Call{{ID: "id_c", Name: "SCHEMA", Arguments: `{"of":"zone","tool_type":"héalth"}`}}},
				{text: []string{"No."}},
			},
		},
		{
			Name:  "actions with approval",
			Steps: []Step{{Say: "Make a zone for my health"}, {Approve: true}},
			said: []said{
				{text: []string{"I make ", "it."}, actions: true, calls: []Call{
					{ID: "id_d", Name: "CREATE_ZONE", Arguments: `{"name":"Health"}`},
				}},
				{text: []string{"It is there."}},
			},
		},
	}
}

// Replies are what the fake model says in a protocol.
func (c Dialogue) Replies(protocol domain.Protocol) []Reply {
	out := make([]Reply, len(c.said))
	for i, s := range c.said {
		out[i] = s.reply(protocol)
		out[i].Usage = domain.Usage{InputTokens: 100, OutputTokens: int64(10 + i)}
	}
	return out
}

func (s said) reply(protocol domain.Protocol) Reply {
	if protocol == domain.ProtocolJSON {
		text := s.object()
		half := len(text) / 2
		return Reply{Text: []string{text[:half], text[half:]}, StopReason: "stop"}
	}
	if len(s.calls) > 0 {
		return Reply{Text: s.text, Calls: s.calls, StopReason: "calls"}
	}
	return Reply{Text: s.text, StopReason: "stop"}
}

// object is the same said as one JSON object.
func (s said) object() string {
	type command struct {
		Type   string          `json:"type"`
		Params json.RawMessage `json:"params"`
	}
	answer := struct {
		PreText        string    `json:"pre_text"`
		DataCommands   []command `json:"data_commands,omitempty"`
		ActionCommands []command `json:"action_commands,omitempty"`
		KeepControl    bool      `json:"keep_control,omitempty"`
	}{KeepControl: s.actions}
	for _, piece := range s.text {
		answer.PreText += piece
	}
	for _, c := range s.calls {
		one := command{Type: c.Name, Params: json.RawMessage(c.Arguments)}
		if s.actions {
			answer.ActionCommands = append(answer.ActionCommands, one)
		} else {
			answer.DataCommands = append(answer.DataCommands, one)
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // the texts above always encode
	}
	return string(text)
}
