package uichat

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// chunksOf returns the chunks that are written, in short: their types with their text or call.
func chunksOf(t *testing.T, held *uiMessage, write func(o *writer)) string {
	t.Helper()
	response := httptest.NewRecorder()
	o := newWriter(response, held)
	write(o)
	o.leaveStep()
	var all []string
	for line := range strings.SplitSeq(response.Body.String(), "\n\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var c struct {
			Type   string `json:"type"`
			Delta  string `json:"delta"`
			CallID string `json:"toolCallId"`
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		all = append(all, strings.TrimSpace(c.Type+" "+c.Delta+c.CallID))
	}
	return strings.Join(all, ", ")
}

// holding is a message of which a front end has these parts.
func heldMessage(t *testing.T, parts string) *uiMessage {
	t.Helper()
	held, err := (&message{ID: "a", Parts: json.RawMessage(parts)}).read()
	if err != nil {
		t.Fatal(err)
	}
	return &held
}

// A round is written in steps, without what the front end has already.
func TestARoundInChunks(t *testing.T) {
	round := func(o *writer) {
		o.reasoningDelta("m1", 0, "Hm.")
		o.textDelta("m1", 0, "I make")
		o.storedAnswer("m1", "Hm.", "I make it.", false)
		o.call("exe", "CREATE_ZONE", fields{"name": "Garden"}, true)
		o.callEnded("exe", "tool-output-available", fields{"output": true})
		o.textDelta("m2", 0, "It is ")
		o.storedAnswer("m2", "", "It is made.", false)
	}
	for name, c := range map[string]struct{ held, want string }{
		"nothing is held": {"", "start-step, reasoning-start, reasoning-delta Hm., reasoning-end, text-start, text-delta I make, text-delta  it., text-end, " +
			"tool-input-start exe, tool-input-available exe, tool-output-available exe, finish-step, " +
			"start-step, text-start, text-delta It is, text-delta made., text-end, finish-step"},
		"half a text": {
			`[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"text","text":"I ma"}]`,
			"text-start, text-delta ke, text-delta  it., text-end, " +
				"tool-input-start exe, tool-input-available exe, tool-output-available exe, " +
				"start-step, text-start, text-delta It is, text-delta made., text-end, finish-step",
		},
		"a call that was answered": {
			`[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"text","text":"I make it."},
				{"type":"dynamic-tool","toolCallId":"exe","state":"approval-responded"}]`,
			"tool-output-available exe, start-step, text-start, text-delta It is, text-delta made., text-end, finish-step",
		},
		"all of it": {
			`[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"text","text":"I make it."},
				{"type":"tool-CREATE_ZONE","toolCallId":"exe","state":"output-available"},{"type":"step-start"},{"type":"text","text":"It is made."}]`,
			"",
		},
		"another text": {
			`[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"text","text":"You make it."}]`,
			"text-start, text-delta " + brokenOffNotice + "I make, text-delta  it., text-end, " +
				"tool-input-start exe, tool-input-available exe, tool-output-available exe, " +
				"start-step, text-start, text-delta It is, text-delta made., text-end, finish-step",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var held *uiMessage
			if c.held != "" {
				held = heldMessage(t, c.held)
			}
			if got := chunksOf(t, held, round); got != c.want {
				t.Errorf("it receives\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A stream that is resumed has the same reasoning parts as one that was read live, in the same places.
func TestReasoningOfAResumedStream(t *testing.T) {
	const (
		first  = "text-start, text-delta I make it., text-end, tool-input-start exe, tool-input-available exe"
		second = "start-step, reasoning-start, reasoning-delta So., reasoning-end, text-start, text-delta It is made., text-end, finish-step"
	)
	for name, c := range map[string]struct{ held, want string }{
		"nothing is held": {"", "start-step, reasoning-start, reasoning-delta Hm., reasoning-end, " + first + ", finish-step, " + second},
		"half of the reasoning": {
			`[{"type":"step-start"},{"type":"reasoning","text":"H"}]`, "reasoning-start, reasoning-delta m., reasoning-end, " + first + ", " + second,
		},
		"all of the reasoning": {`[{"type":"step-start"},{"type":"reasoning","text":"Hm."}]`, first + ", " + second},
		"the text alone": {
			`[{"type":"step-start"},{"type":"text","text":"I make it."}]`, "tool-input-start exe, tool-input-available exe, " + second,
		},
		"the call alone": {
			`[{"type":"step-start"},{"type":"dynamic-tool","toolCallId":"exe","state":"input-available"}]`,
			"text-start, text-delta I make it., text-end, " + second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var held *uiMessage
			if c.held != "" {
				held = heldMessage(t, c.held)
			}
			got := chunksOf(t, held, func(o *writer) {
				o.storedAnswer("m1", "Hm.", "I make it.", false)
				o.call("exe", "CREATE_ZONE", nil, true)
				o.storedAnswer("m2", "So.", "It is made.", false)
			})
			if got != c.want {
				t.Errorf("it receives\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Reasoning of which a part was streamed is completed when its answer is stored, and not repeated.
func TestStreamedReasoningIsCompleted(t *testing.T) {
	got := chunksOf(t, nil, func(o *writer) {
		o.reasoningDelta("m1", 0, "Let me")
		o.storedAnswer("m1", "Let me see.", "Yes.", false)
		o.reasoningDelta("m2", 0, "Let me")
		o.textDelta("m2", 0, "N")
		o.storedAnswer("m2", "Let me see.", "No.", false)
	})
	want := "start-step, reasoning-start, reasoning-delta Let me, reasoning-delta  see., reasoning-end, text-start, text-delta Yes., text-end, finish-step, " +
		"start-step, reasoning-start, reasoning-delta Let me, reasoning-end, text-start, text-delta N, text-delta o., text-end, finish-step"
	if got != want {
		t.Errorf("it receives\n%s\nwant\n%s", got, want)
	}
}

// A text that became no message: the one in its place is a part of the same step.
func TestATextThatBecameNoMessage(t *testing.T) {
	for name, c := range map[string]struct{ second, want string }{
		"the same":   {"One two three", "start-step, text-start, text-delta One two, text-delta  three, text-end, finish-step"},
		"another":    {"Two", "start-step, text-start, text-delta One two, text-end, text-start, text-delta " + brokenOffNotice + "Two, text-end, finish-step"},
		"with calls": {"", "start-step, text-start, text-delta One two, text-end, tool-input-start exe, tool-input-available exe, finish-step"},
	} {
		t.Run(name, func(t *testing.T) {
			got := chunksOf(t, nil, func(o *writer) {
				o.textDelta("m1", 0, "One two")
				o.storedAnswer("m2", "", c.second, false)
				o.textDelta("m2", 0, "late")
				if c.second == "" {
					o.call("exe", "CREATE_ZONE", nil, true)
				}
			})
			if got != c.want {
				t.Errorf("it receives\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Only what the last step holds is an answer, and of several calls each has its own.
func TestAnswersInWhatIsHeld(t *testing.T) {
	held := heldMessage(t, `[
		{"type":"step-start"},{"type":"dynamic-tool","toolCallId":"apr_1","state":"output-available","output":"red"},
		{"type":"step-start"},{"type":"text","text":"Two."},
		{"type":"dynamic-tool","toolCallId":"exe_1","state":"approval-responded","approval":{"id":"apr_2.exe_1","approved":true}},
		{"type":"tool-X","toolCallId":"exe_2","state":"approval-responded","approval":{"id":"apr_2.exe_2","approved":false,"reason":"no"}},
		{"type":"dynamic-tool","toolCallId":"exe_3","state":"output-available","output":1},
		{"type":"dynamic-tool","toolCallId":"apr_3","state":"output-error"},
		{"type":"dynamic-tool","toolCallId":"apr_4","state":"output-available","output":["a"]},
		{"type":"dynamic-tool","toolCallId":"exe_5","state":"approval-requested","approval":{"id":"apr_5"}}]`)
	var got []string
	for _, g := range answersOf(held) {
		line, err := json.Marshal([]any{g.id, g.approved, g.rejected, g.reason, string(g.output), g.failed})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	want := []string{
		`["apr_2",["exe_1"],["exe_2"],"no","",false]`, `["apr_3",null,null,"","",true]`, `["apr_4",null,null,"","[\"a\"]",false]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the answers are\n%s", strings.Join(got, "\n"))
	}
}
