package doors

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const uiTalk = `[
	{"when": {"contains": "First question"}, "delay_ms": 1000, "token_delay_ms": 20, "answer": {"thinking": "Let me see.", "text": "The first answer, in a few words."}},
	{"when": {"contains": "both", "roundtrip": 1}, "answer": {"text": "I make two.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}},
		{"name": "CREATE_ZONE", "arguments": {"name": "Shed"}}]}},
	{"when": {"contains": "one is enough"}, "answer": {"text": "One is made."}},
	{"when": {"contains": "Say a number"}, "times": 1, "answer": {"text": "One."}},
	{"when": {"contains": "Say a number"}, "answer": {"text": "Two."}},
	{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER",
		"arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}},
	{"answer": {"text": "Red it is."}}]`

// The AI SDK's own chat, unmodified: a text, two approvals of which one is refused, a question, and
// a page that resumes.
func TestTheUIChatClient(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, uiTalk)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		var got struct {
			First, Made, Resumed string
			Asked                []struct {
				ToolName string
				State    string
				Input    struct{ Name string }
				Approval struct{ ID string }
			}
			Question struct {
				ToolName, State string
				Input           struct{ Kind, Question string }
			}
			Finishes, Messages []string
			Same               bool
			Nothing            []any
			FirstTry           string
			SecondTry          string
			Tries              int
		}
		runClient(t, "ui-chat.mjs", s.URL, key, &got, "FERMATA_URL="+s.URL, "FERMATA_KEY="+key)
		if got.First != "assistant step-start|Let me see.|The first answer, in a few words." {
			t.Errorf("the first is %q", got.First)
		}
		if len(got.Asked) != 2 || got.Asked[0].State != "approval-requested" || got.Asked[1].Input.Name != "Shed" ||
			got.Asked[0].Approval.ID == got.Asked[1].Approval.ID {
			t.Errorf("it is asked %+v", got.Asked)
		}
		want := "assistant step-start|I make two.|CREATE_ZONE:output-available|CREATE_ZONE:output-denied|step-start|One is made."
		if got.Made != want {
			t.Errorf("what was made is %q", got.Made)
		}
		if got.Question.ToolName != "ASK_USER" || got.Question.State != "input-available" || !strings.Contains(got.Question.Input.Question, "Which?") {
			t.Errorf("the question is %+v", got.Question)
		}
		last := "assistant step-start|Tell me.|ASK_USER:output-available|step-start|Red it is."
		if got.Messages[len(got.Messages)-1] != last || got.Resumed != last || !got.Same {
			t.Errorf("the last is %q, and resumed %q (%v)", got.Messages[len(got.Messages)-1], got.Resumed, got.Same)
		}
		if !slices.Equal(got.Finishes, []string{"stop", "tool-calls", "stop", "tool-calls", "stop"}) {
			t.Errorf("it finishes with %q", got.Finishes)
		}
		if got.Nothing[0] != "ready" || got.Nothing[1] != float64(0) {
			t.Errorf("with nothing to resume: %v", got.Nothing)
		}
		zones := s.Call("GET", "/v1/zones", nil).Want(200)
		if len(zones.List("data")) != 1 || zones.Str("data.0.name") != "Garden" {
			t.Errorf("the zones are %s", zones.Body)
		}
		if got.FirstTry != "assistant step-start|One." || got.SecondTry != "assistant step-start|Two." || got.Tries != 2 {
			t.Errorf("answered again it is %q, then %q, of %d messages", got.FirstTry, got.SecondTry, got.Tries)
		}
		session := s.Call("GET", "/v1/sessions", nil).Want(200)
		if len(session.List("data")) != 2 || session.Str("data.1.external_id") != "a talk" {
			t.Errorf("the sessions are %s", session.Body)
		}
		tries := s.Call("GET", "/v1/sessions/"+session.Str("data.0.id")+"/messages", nil).Want(200)
		if tries.Str("data.1.ai_message.pre_text")+tries.Str("data.1.status") != "One.superseded" || tries.Str("data.2.ai_message.pre_text")+tries.Str("data.2.status") != "Two.stored" {
			t.Errorf("the record of both tries is %s", tries.Body)
		}
		s.Sound()
	})
}
