package doors

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// chatClients is the folder with other people's chat clients, as the lock file names them,
// and the programs of examples/chat-clients that use them. They are installed once.
func chatClients(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("there is no %s; scripts/need node gets it", tool)
			}
			t.Skipf("there is no %s; scripts/need node gets it", tool)
		}
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(filepath.Join(root, "examples/chat-clients/install.sh"))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("install the chat clients: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:]))
}

// newChatServer is a server with a script to answer by, and the key of a member.
func newChatServer(t *testing.T, db app.Database, steps string) (s *server, key string) {
	t.Helper()
	s = newServer(t, db, func(c *app.Config) { c.RootKey = harness.RootKey })
	s.Key = harness.RootKey
	s.Scripted(steps)
	return s, s.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "member"}).Want(201).Str("key")
}

// runClient runs one of the programs against a server, and reads what it says.
func runClient(t *testing.T, program, url, key string, out any, env ...string) {
	t.Helper()
	command := exec.Command("node", program)
	command.Dir = chatClients(t)
	command.Env = append(os.Environ(), append(env, "OPENAI_BASE_URL="+url+"/v1", "OPENAI_API_KEY="+key)...)
	command.WaitDelay = time.Second
	var said, wrong bytes.Buffer
	command.Stdout, command.Stderr = &said, &wrong
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", program, err, said.Bytes(), wrong.Bytes())
	}
	if err := json.Unmarshal(said.Bytes(), out); err != nil {
		t.Fatalf("%s says %q: %v", program, said.Bytes(), err)
	}
}

type clientUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// twoRounds are what a client has to say of the first two questions of a talk.
type twoRounds struct {
	Models  []string
	First   string
	Finish  string
	Session string
	Usage   clientUsage
	Second  struct {
		Role, Text, Finish, Session string
		Usage                       *clientUsage
		Chunks                      int
	}
}

const twoAnswers = `[
	{"when": {"contains": "Second question"}, "token_delay_ms": 50, "answer": {"text": "The second answer, in a few words."}},
	{"when": {"contains": "First question"}, "answer": {"text": "The first answer."}}]`

// Other people's clients hold a conversation by changing the base URL: one session, two rounds.
func TestOtherPeoplesChatClients(t *testing.T) {
	for program, streamed := range map[string]int{"openai.mjs": 5, "langchain.mjs": 0, "ai-sdk.mjs": 5} {
		t.Run(program, func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				s, key := newChatServer(t, db, twoAnswers)
				var got twoRounds
				runClient(t, program, s.URL, key, &got)
				got.check(t, streamed)
				if got.Models != nil && strings.Join(got.Models, " ") != "fermata fermata/raw fermata/Script" {
					t.Errorf("the models are %q", got.Models)
				}
				session := s.Call("GET", "/v1/sessions", nil).Want(200).Str("data.0.id")
				if got.Session != "" && (got.Session != session || got.Second.Session != session) {
					t.Errorf("the sessions are %q and %q, and there is %q", got.Session, got.Second.Session, session)
				}
				want := []string{"USER First question", "AI The first answer.", "USER Second question", "AI The second answer, in a few words."}
				if said := s.said(session); strings.Join(said, "\n") != strings.Join(want, "\n") {
					t.Errorf("the record is %q", said)
				}
			})
		})
	}
}

// check holds what a client says to what the script answered.
func (got *twoRounds) check(t *testing.T, streamed int) {
	t.Helper()
	if got.First != "The first answer." || got.Finish != "stop" {
		t.Errorf("the first answer is %q (%s)", got.First, got.Finish)
	}
	second := got.Second
	if second.Role != "assistant" || second.Text != "The second answer, in a few words." || second.Finish != "stop" || second.Chunks < streamed {
		t.Errorf("the second answer is %+v", second)
	}
	for _, u := range []*clientUsage{&got.Usage, second.Usage} {
		if u == nil || u.PromptTokens == 0 || u.CompletionTokens == 0 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
			t.Errorf("the usage is %+v", u)
		}
	}
}

// said is the record of a session, in words.
func (s *server) said(session string) []string {
	s.T.Helper()
	var page struct {
		Data []struct {
			Sender string
			Rich   *struct {
				Segments []struct{ Text string }
			} `json:"rich_content"`
			AI *struct {
				PreText string `json:"pre_text"`
			} `json:"ai_message"`
			System *struct{ Type, Summary string } `json:"system_message"`
		}
	}
	reply := s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200)
	if err := json.Unmarshal(reply.Body, &page); err != nil {
		s.T.Fatal(err)
	}
	var said []string
	for _, m := range page.Data {
		line := m.Sender + " "
		switch {
		case m.Rich != nil:
			for _, segment := range m.Rich.Segments {
				line += segment.Text
			}
		case m.AI != nil:
			line += m.AI.PreText
		case m.System != nil:
			line += m.System.Type
		}
		said = append(said, line)
	}
	return said
}
