package doors

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// aguiRun is what the program says of one run.
type aguiRun struct {
	Events  []string
	Outcome struct {
		Type string
	}
	Code string
}

func (r *aguiRun) has(t *testing.T, events ...string) {
	t.Helper()
	all := " " + strings.Join(r.Events, " ") + " "
	for _, e := range events {
		if !strings.Contains(all, " "+e+" ") {
			t.Errorf("there is no %s in%s", e, all)
		}
	}
}

// AG-UI's own client, unmodified: a text, an approval and a question as interrupts, each
// answered by a resume.
func TestTheAGUIClient(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "First question"}, "token_delay_ms": 20, "answer": {"thinking": "Let me see.", "text": "The first answer, in a few words."}},
			{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
			{"when": {"contains": "make", "roundtrip": 2}, "answer": {"text": "It is made."}},
			{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER",
				"arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}},
			{"answer": {"text": "Red it is."}}]`)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		var got struct {
			First, Asked, Made, Questioned, Answered aguiRun
			Approval, Question                       struct {
				ID, Reason, Message string
				ResponseSchema      json.RawMessage
				Metadata            struct {
					Approval struct {
						ID      string
						Actions []struct {
							Command string
							Params  map[string]any
						}
					}
				}
			}
			Session  struct{ ID, State string }
			Messages []string
		}
		runClient(t, "ag-ui.mjs", s.URL, key, &got, "FERMATA_URL="+s.URL, "FERMATA_KEY="+key)
		got.First.has(t, "RUN_STARTED", "STATE_SNAPSHOT", "STEP_STARTED", "STEP_FINISHED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT",
			"TEXT_MESSAGE_END", "RUN_FINISHED")
		got.Asked.has(t, "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "ACTIVITY_SNAPSHOT")
		got.Made.has(t, "MESSAGES_SNAPSHOT", "TOOL_CALL_RESULT")
		for name, run := range map[string][2]string{
			"first": {got.First.Outcome.Type, "success"}, "asked": {got.Asked.Outcome.Type, "interrupt"}, "made": {got.Made.Outcome.Type, "success"},
			"questioned": {got.Questioned.Outcome.Type, "interrupt"}, "answered": {got.Answered.Outcome.Type, "success"},
		} {
			if run[0] != run[1] {
				t.Errorf("%s ends with %q, and should with %q", name, run[0], run[1])
			}
		}
		if got.Approval.Reason != "actions" || !strings.Contains(got.Approval.Message, "Garden") || len(got.Approval.ResponseSchema) == 0 ||
			got.Question.Reason != "question" || !strings.Contains(got.Question.Message, "Which?") {
			t.Errorf("it is asked %+v and %+v", got.Approval, got.Question)
		}
		if a := got.Approval.Metadata.Approval; a.ID != got.Approval.ID || len(a.Actions) != 1 || a.Actions[0].Params["name"] != "Garden" {
			t.Errorf("what would be done: %+v", a)
		}
		var texts []string
		for _, m := range got.Messages {
			if strings.HasPrefix(m, "user ") || strings.HasPrefix(m, "assistant ") {
				texts = append(texts, m)
			}
		}
		want := "user First question|assistant The first answer, in a few words.|user make it|assistant I make it.|assistant It is made.|" +
			"user ask me|assistant Tell me.|assistant Red it is."
		if strings.Join(texts, "|") != want {
			t.Errorf("the client holds %q", texts)
		}
		session := s.Call("GET", "/v1/sessions", nil).Want(200)
		if len(session.List("data")) != 1 || session.Str("data.0.id") != got.Session.ID || session.Str("data.0.external_id") != "a talk" {
			t.Errorf("the sessions are %s", session.Body)
		}
		s.Sound()
	})
}
