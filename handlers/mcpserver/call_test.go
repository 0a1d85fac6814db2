package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// reply is what is read of a response.
type reply struct {
	Result struct {
		IsError    bool            `json:"isError"`
		ResultType string          `json:"resultType"`
		State      string          `json:"requestState"`
		TaskID     string          `json:"taskId"`
		Status     string          `json:"status"`
		Requests   json.RawMessage `json:"inputRequests"`
		Content    json.RawMessage `json:"structuredContent"`
		Result     struct {
			Content json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	Error struct {
		Code    int
		Message string
		Data    struct{ Code domain.Code }
	}
}

// state is the state in a result of send_message.
func (r *reply) state(t *testing.T) string {
	t.Helper()
	var of struct{ State string }
	if err := json.Unmarshal(r.Result.Content, &of); err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return of.State
}

// newWorldDoor returns a handler over the world, in which clients may answer for a person.
func newWorldDoor(t *testing.T, w *suite.World) *Door {
	t.Helper()
	keys, err := seal.New([][]byte{[]byte(strings.Repeat("k", 32))})
	if err != nil {
		t.Fatal(err)
	}
	w.Settings.MCPAnswers = true
	return New(Config{
		Config: w.Config(), Runs: server{w}, Workspaces: server{w}, Keys: keys, PublicURL: "https://fermata.example", Version: "test",
	})
}

// ask makes a request of the newer revision, of a client with capabilities.
func ask(t *testing.T, d *Door, who *auth.Identity, method, name, params, able string) (out reply) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}}}`, method, params, able)
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", strings.NewReader(body))
	for key, value := range map[string]string{
		"Content-Type": "application/json", versionHeader: revision2026, "Mcp-Method": method, nameHeader: name,
	} {
		r.Header.Set(key, value)
	}
	response := httptest.NewRecorder()
	if err := d.Serve(response, r, who, []byte(body)); err != nil {
		d.Refuse(response, suite.Failure(err))
	}
	if err := json.Unmarshal(response.Body.Bytes(), &out); err != nil {
		t.Fatalf("%d %s: %v", response.Code, response.Body, err)
	}
	return out
}

const (
	withForms = `{"elicitation":{"form":{}}}`
	withTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{},"url":{}}}`
	sending   = `"name":"send_message","arguments":{"session_id":"` + suite.SessionID + `","text":"` + suite.Text + `"}`
)

// answeredWith is the same call with the answer to an elicitation.
func answeredWith(state, approval, answer string) string {
	return fmt.Sprintf(`%s,"requestState":%q,"inputResponses":{%q:%s}`, sending, state, approval, answer)
}

// waiting sends a message whose round waits for an approval of a kind.
func waiting(t *testing.T, w *suite.World, d *Door, kind domain.ApprovalKind) (r reply, approval string) {
	t.Helper()
	go func() {
		time.Sleep(time.Second)
		approval = w.Ask(kind)
	}()
	r = ask(t, d, suite.Caller, "tools/call", "send_message", sending, withForms)
	synctest.Wait() // listeners may be faster than the return of Ask
	return r, approval
}

// An approval is a form for a client that can show one. Its state is bound to the caller and to what was
// shown.
func TestAnApprovalAsAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := newWorldDoor(t, w)
		asked, approval := waiting(t, w, d, domain.ApprovalActions)
		if asked.Result.ResultType != "input_required" || asked.Result.State == "" || !strings.Contains(string(asked.Result.Requests), approval) {
			t.Fatalf("it is asked %+v", asked)
		}
		const yes = `{"action":"accept","content":{"approved":true}}`
		changed := []byte(asked.Result.State)
		changed[len(changed)-8] ^= 1
		other := *suite.Caller
		other.Name = "key_2"
		for name, c := range map[string]struct {
			who   *auth.Identity
			state string
		}{"changed": {suite.Caller, string(changed)}, "of another caller": {&other, asked.Result.State}, "made up": {suite.Caller, "mine"}} {
			if r := ask(t, d, c.who, "tools/call", "send_message", answeredWith(c.state, approval, yes), withForms); r.Error.Code != -32000 || r.Error.Data.Code != domain.CodeInvalid {
				t.Errorf("a state that is %s: %+v", name, r)
			}
		}
		for name, answer := range map[string]string{"closed": `{"action":"cancel"}`, "of another question": ""} {
			params := answeredWith(asked.Result.State, approval, answer)
			if answer == "" {
				params = answeredWith(asked.Result.State, "apr_1", yes)
			}
			if r := ask(t, d, suite.Caller, "tools/call", "send_message", params, withForms); r.Result.ResultType != "input_required" {
				t.Errorf("a form that is %s: %+v", name, r)
			}
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Fatalf("decided was %+v", got)
		}
		w.Change(func(a *domain.Approval) { a.Text = "And this?" })
		if r := ask(t, d, suite.Caller, "tools/call", "send_message", answeredWith(asked.Result.State, approval, yes), withForms); r.Error.Data.Code != domain.CodeValidationStale {
			t.Errorf("after a change: %+v", r)
		}
		w.Change(func(a *domain.Approval) { a.Text = "" })
		done := time.AfterFunc(time.Second, func() { w.Answer("Done.") })
		defer done.Stop()
		r := ask(t, d, suite.Caller, "tools/call", "send_message", answeredWith(asked.Result.State, approval, yes), withForms)
		if got := w.Decisions(); r.state(t) != "completed" || len(got) != 1 || !got[0].Approved {
			t.Errorf("after the answer %+v it is %+v", got, r)
		}
	})
}

// Forms of each kind are answered, and declined.
func TestAnswersOfForms(t *testing.T) {
	for name, c := range map[string]struct {
		kind   domain.ApprovalKind
		answer string
		want   domain.Decision
	}{
		"actions":              {domain.ApprovalActions, `{"action":"accept","content":{"approved":false,"comment":"no"}}`, domain.Decision{Comment: "no"}},
		"actions, declined":    {domain.ApprovalActions, `{"action":"decline"}`, domain.Decision{}},
		"a question":           {domain.ApprovalQuestion, `{"action":"accept","content":{"value":"red"}}`, domain.Decision{Approved: true, Value: json.RawMessage(`"red"`)}},
		"a question, declined": {domain.ApprovalQuestion, `{"action":"decline"}`, domain.Decision{Cancelled: true}},
		"a limit":              {domain.ApprovalBudget, `{"action":"accept","content":{"approved":true}}`, domain.Decision{Approved: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := suite.NewWorld(t)
				d := newWorldDoor(t, w)
				asked, approval := waiting(t, w, d, c.kind)
				done := time.AfterFunc(time.Second, func() { w.Answer("Done.") })
				defer done.Stop()
				r := ask(t, d, suite.Caller, "tools/call", "send_message", answeredWith(asked.Result.State, approval, c.answer), withForms)
				got := w.Decisions()
				if r.state(t) != "completed" || len(got) != 1 || got[0].Approved != c.want.Approved || got[0].Comment != c.want.Comment ||
					got[0].Cancelled != c.want.Cancelled || string(got[0].Value) != string(c.want.Value) {
					t.Errorf("with %+v it is %+v", got, r)
				}
			})
		})
	}
}

// An answer counts for an hour, and for as long as the approval is open.
func TestAFormThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := newWorldDoor(t, w)
		asked, approval := waiting(t, w, d, domain.ApprovalActions)
		late := answeredWith(asked.Result.State, approval, `{"action":"accept","content":{"approved":true}}`)
		time.Sleep(stateTTL + time.Second)
		if r := ask(t, d, suite.Caller, "tools/call", "send_message", late, withForms); r.Error.Data.Code != domain.CodeApprovalExpired {
			t.Errorf("after an hour: %+v", r)
		}
		w.Expire()
		params := fmt.Sprintf(`"name":"answer_pending","arguments":{"approval_id":%q,"answer":{"approved":true}}`, approval)
		if r := ask(t, d, suite.Caller, "tools/call", "answer_pending", params, "{}"); r.Error.Data.Code != domain.CodeValidationResolved {
			t.Errorf("of an approval that expired: %+v", r)
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Errorf("decided was %+v", got)
		}
	})
}

// Without the setting, no client answers for a person.
func TestClientsThatMayNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := newWorldDoor(t, w)
		w.Settings.MCPAnswers = false
		asked, approval := waiting(t, w, d, domain.ApprovalActions)
		if asked.Result.ResultType != "complete" || asked.state(t) != "input_required" {
			t.Errorf("it receives %+v", asked)
		}
		params := fmt.Sprintf(`"name":"answer_pending","arguments":{"approval_id":%q,"answer":{"approved":true}}`, approval)
		if r := ask(t, d, suite.Caller, "tools/call", "answer_pending", params, "{}"); r.Error.Code == 0 {
			t.Errorf("the tool: %+v", r)
		}
		task := suite.SessionID + "." + messageOf(t, asked)
		update := fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"approved":true}}}`, task, approval)
		if r := ask(t, d, suite.Caller, "tasks/update", task, update, withTasks); r.Error.Data.Code != domain.CodeForbidden {
			t.Errorf("a task: %+v", r)
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Errorf("decided was %+v", got)
		}
	})
}

func messageOf(t *testing.T, r reply) string {
	t.Helper()
	var of struct {
		Message string `json:"message_id"`
	}
	if err := json.Unmarshal(r.Result.Content, &of); err != nil {
		t.Fatal(err)
	}
	return of.Message
}

// A message is a task for a client that has the extension: it is read, answered, and over.
func TestAMessageAsATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := newWorldDoor(t, w)
		made := ask(t, d, suite.Caller, "tools/call", "send_message", sending, withTasks)
		id := made.Result.TaskID
		if made.Result.ResultType != "task" || made.Result.Status != "working" {
			t.Fatalf("it is made as %+v", made)
		}
		about := fmt.Sprintf(`"taskId":%q`, id)
		if again := ask(t, d, suite.Caller, "tools/call", "send_message", sending, withTasks); again.Result.TaskID != id {
			t.Errorf("the same message is %+v", again)
		}
		approval := w.Ask(domain.ApprovalBudget)
		if r := ask(t, d, suite.Caller, "tasks/get", id, about, withTasks); r.Result.Status != "input_required" || !strings.Contains(string(r.Result.Requests), approval) {
			t.Errorf("while it waits it is %+v", r)
		}
		answer := fmt.Sprintf(`%s,"inputResponses":{"apr_1":{"action":"accept","content":{}},%q:{"action":"accept","content":{"approved":true}}}`, about, approval)
		if r := ask(t, d, suite.Caller, "tasks/update", id, answer, withTasks); r.Error.Code != 0 || len(w.Decisions()) != 1 {
			t.Errorf("answered it is %+v", r)
		}
		w.Answer("Done.")
		r := ask(t, d, suite.Caller, "tasks/get", id, about, withTasks)
		if r.Result.Status != "completed" || !strings.Contains(string(r.Result.Result.Content), "Done.") {
			t.Errorf("at its end it is %+v", r)
		}
		if r := ask(t, d, suite.Caller, "tasks/cancel", id, about, withTasks); r.Error.Code != 0 {
			t.Errorf("to cancel it then: %+v", r)
		}
		if r := ask(t, d, suite.Caller, "tasks/get", id, about, "{}"); r.Error.Code == 0 {
			t.Errorf("without the extension: %+v", r)
		}
		for _, other := range []string{suite.SessionID, suite.SessionID + ".msg_1", "mine"} { // a chat is no run
			if r := ask(t, d, suite.Caller, "tasks/get", other, fmt.Sprintf(`"taskId":%q`, other), withTasks); r.Error.Data.Code != domain.CodeNotFound {
				t.Errorf("%s is %+v", other, r)
			}
		}
	})
}

// pages is a record with long messages, two of which fit into a result. Its cursor is a number.
type pages struct {
	*suite.World
	messages []*domain.Message // the latest first
}

func (p *pages) MessagePage(_ context.Context, _ *domain.Session, cursor string, limit int, _ bool) ([]*domain.Message, string, error) {
	from := 0
	if _, err := fmt.Sscan(cursor, &from); err != nil && cursor != "" {
		return nil, "", domain.Invalid("/cursor", "invalid", "This is no cursor.")
	}
	if to := from + limit; to < len(p.messages) {
		return p.messages[from:to], fmt.Sprint(to), nil
	}
	return p.messages[from:], "", nil
}

// A session whose messages do not fit into one result is read in several, and each says where the next begins.
func TestASessionInPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		record := &pages{World: w}
		for i := range 5 {
			record.messages = append(record.messages, &domain.Message{
				ID: fmt.Sprintf("msg_%d", 5-i), Sender: domain.SenderAI, Text: strings.Repeat("a", maxPage*2/5), Seq: int64(5 - i),
			})
		}
		d := newWorldDoor(t, w)
		d.Record = record
		read := func(more string) (ids []string, next string, earlier bool, code domain.Code) {
			params := fmt.Sprintf(`"name":"get_session","arguments":{"session_id":%q%s}`, suite.SessionID, more)
			r := ask(t, d, suite.Caller, "tools/call", "get_session", params, "{}")
			var of struct {
				Messages []struct{ ID string }
				Earlier  bool   `json:"has_earlier"`
				Next     string `json:"next_cursor"`
			}
			if r.Error.Code == 0 {
				if err := json.Unmarshal(r.Result.Content, &of); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range of.Messages {
				ids = append(ids, m.ID)
			}
			return ids, of.Next, of.Earlier, r.Error.Data.Code
		}
		var all []string
		cursor, results := "", 0
		for more := true; more; results++ {
			var ids []string
			ids, cursor, more, _ = read(fmt.Sprintf(`,"cursor":%q`, cursor))
			if more != (cursor != "") {
				t.Errorf("there are earlier messages (%v), and the cursor is %q", more, cursor)
			}
			all = append(ids, all...)
		}
		if want := []string{"msg_1", "msg_2", "msg_3", "msg_4", "msg_5"}; results != 3 || !slices.Equal(all, want) {
			t.Errorf("%d results have %q", results, all)
		}
		if ids, next, _, _ := read(`,"messages":1`); len(ids) != 1 || next != "1" {
			t.Errorf("one message is %q, and the next one is at %q", ids, next)
		}
		if ids, next, earlier, _ := read(`,"messages":0`); len(ids) != 0 || next != "" || earlier {
			t.Errorf("without messages there are %q, %q", ids, next)
		}
		if _, _, _, code := read(`,"cursor":"mine"`); code != domain.CodeInvalid {
			t.Errorf("another cursor: %s", code)
		}
	})
}

var _ rounds.NamedRecord = (*pages)(nil)

// Requests that are none of the protocol are refused before the SDK reads them.
func TestInvalidRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newWorldDoor(t, suite.NewWorld(t))
		for name, body := range map[string]string{
			"a batch": `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, "a text": `"hello"`, "no method": `{"jsonrpc":"2.0","id":1}`,
			"a method of another type": `{"jsonrpc":"2.0","id":1,"method":7}`,
		} {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", http.NoBody)
			if err := d.Serve(httptest.NewRecorder(), r, suite.Caller, []byte(body)); domain.ErrorCode(err) != domain.CodeInvalid {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
