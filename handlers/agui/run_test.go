package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// event is what is read of an event of the protocol.
type event struct {
	Type, Code, Message, Delta string
	Outcome                    struct {
		Type       string
		Interrupts []struct{ ID, Reason, Message, ExpiresAt string }
		Pending    []string `json:"pendingToolCallIds"`
	}
}

// post makes a run, and returns its events.
func post(t *testing.T, w *suite.World, body string) (events []event) {
	t.Helper()
	response := httptest.NewRecorder()
	d := &Door{Config: w.Config()}
	if err := d.Serve(response, httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(body)), suite.Caller, []byte(body)); err != nil {
		return []event{{Type: "refused", Code: string(domain.ErrorCode(err)), Message: err.Error()}}
	}
	for line := range strings.SplitSeq(response.Body.String(), "\n\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var e event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			events = append(events, e)
		}
	}
	return events
}

// last returns the end of a run.
func last(events []event) event { return events[len(events)-1] }

// body is a run with one message of the user, and with more fields.
func body(more string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":"run","messages":[{"id":"m1","role":"user","content":%q}]%s}`, suite.SessionID, suite.Text, more)
}

// withResults is a run with messages after that of the user.
func withResults(results ...string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":"run","messages":[{"id":"m1","role":"user","content":%q},%s]}`,
		suite.SessionID, suite.Text, strings.Join(results, ","))
}

func result(call, text string) string {
	return fmt.Sprintf(`{"id":"r%s","role":"tool","toolCallId":%q,"content":%q}`, call, call, text)
}

// asked begins a round that waits for an approval of a kind, and returns its id.
func asked(t *testing.T, w *suite.World, kind domain.ApprovalKind) (approval string) {
	t.Helper()
	go func() {
		time.Sleep(time.Second)
		approval = w.Ask(kind)
	}()
	if end := last(post(t, w, body(""))); end.Outcome.Type == "" {
		t.Fatalf("it ends with %+v", end)
	}
	synctest.Wait() // listeners may be faster than the return of Ask
	return approval
}

// Invalid requests are refused with what is wrong in them, and nothing is stored.
func TestInvalidRuns(t *testing.T) {
	message := func(content string) string {
		return fmt.Sprintf(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":%s}]}`, content)
	}
	for name, c := range map[string]struct{ body, at string }{
		"a list":                {`[]`, ""},
		"no thread":             {`{"threadId":"","runId":"r","messages":[]}`, "/threadId"},
		"a thread of two lines": {`{"threadId":"a\nb","runId":"r","messages":[]}`, "/threadId"},
		"no run":                {`{"threadId":"t","messages":[]}`, "/runId"},
		"no message":            {`{"threadId":"t","runId":"r","messages":[]}`, "/messages"},
		"only the AI's":         {`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"assistant","content":"a"}]}`, "/messages"},
		"no message at all":     {`{"threadId":"t","runId":"r","messages":[7]}`, ""},
		"nothing said":          {message(`"  "`), "/messages"},
		"too much":              {message(`"` + strings.Repeat("a", maxMessage+1) + `"`), "/messages"},
		"a number":              {message(`7`), "/messages/0/content"},
		"a part that is none":   {message(`[7]`), "/messages/0/content/0"},
		"a picture of nothing":  {message(`[{"type":"image"}]`), "/messages/0/content/0/source"},
		"a sound":               {message(`[{"type":"audio"}]`), "/messages/0/content/0/type"},
		"a file at a URL":       {message(`[{"type":"image","source":{"type":"url","value":"https://a.example/a.png"}}]`), "/messages/0/content/0/source/value"},
		"an unknown source":     {message(`[{"type":"image","source":{"type":"ftp","value":"x"}}]`), "/messages/0/content/0/source/type"},
		"an unknown file":       {message(`[{"type":"document","source":{"type":"file","value":"x"}}]`), "/messages/0/content/0/source/value"},
		"no binary":             {message(`[{"type":"binary","mimeType":"image/png"}]`), "/messages/0/content/0/data"},
		"a binary at a URL":     {message(`[{"type":"binary","url":"https://a.example/a.png"}]`), "/messages/0/content/0/url"},
		"no base64":             {message(`[{"type":"binary","data":"%%%"}]`), "/messages/0/content/0/data"},
	} {
		_, err := readInput([]byte(c.body))
		wrong, ok := errors.AsType[*domain.Error](err)
		if !ok || wrong.Code != domain.CodeInvalid && wrong.Code != domain.CodeNotFound {
			t.Errorf("%s: %v", name, err)
			continue
		}
		at := ""
		if len(wrong.Fields) > 0 {
			at = wrong.Fields[0].Pointer
		}
		if at != c.at {
			t.Errorf("%s is at %q: %v", name, at, err)
		}
	}
}

// Text and files of a message are read in each of their forms.
func TestPartsOfAMessage(t *testing.T) {
	const picture = "aGVsbG8=" // the content is not looked at
	for name, c := range map[string]struct{ content, text, file string }{
		"a text":     {`"hi"`, "hi", ""},
		"parts":      {`[{"type":"text","text":"h"},{"type":"text","text":"i"}]`, "hi", ""},
		"a picture":  {`[{"type":"image","source":{"type":"data","value":"` + picture + `","mimeType":"image/png"}}]`, "", "image.png"},
		"a document": {`[{"type":"document","metadata":{"filename":"a.csv"},"source":{"type":"url","value":"data:text/csv;base64,` + picture + `"}}]`, "", "a.csv"},
		"a binary":   {`[{"type":"binary","mimeType":"image/jpeg","data":"` + picture + `"}]`, "", "image.jpg"},
		"uploaded":   {`[{"type":"binary","id":"fil_00000000000000000000000000000001"}]`, "", ""},
	} {
		pieces, err := piecesOf(json.RawMessage(c.content), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, file := "", ""
		for _, p := range pieces {
			if text += p.Text; p.File != nil {
				file = p.File.Name
			}
		}
		if text != c.text || file != c.file {
			t.Errorf("%s is %q with %q", name, text, file)
		}
	}
}

// An interrupt is answered by the next run of the same message, which continues the round. A repeated answer
// is the first one's.
func TestAnInterruptIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		kind            domain.ApprovalKind
		status, payload string
		want            domain.Decision
	}{
		"approved":       {domain.ApprovalActions, "resolved", `{"approved":true}`, domain.Decision{Approved: true}},
		"with a comment": {domain.ApprovalActions, "resolved", `{"approved":false,"comment":"no"}`, domain.Decision{Comment: "no"}},
		"cancelled":      {domain.ApprovalActions, "cancelled", `null`, domain.Decision{}},
		"a value":        {domain.ApprovalQuestion, "resolved", `"red"`, domain.Decision{Approved: true, Value: json.RawMessage(`"red"`)}},
		"a limit":        {domain.ApprovalBudget, "cancelled", `null`, domain.Decision{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := suite.NewWorld(t)
				approval := asked(t, w, c.kind)
				go func() {
					time.Sleep(time.Second)
					w.Answer("Done.")
				}()
				resume := fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":%q,"payload":%s}]`, approval, c.status, c.payload)
				events := post(t, w, body(resume))
				if end := last(events); end.Type != "RUN_FINISHED" || end.Outcome.Type != "success" {
					t.Errorf("it ends with %+v", end)
				}
				got := w.Decisions()
				if len(got) != 1 || got[0].Approved != c.want.Approved || got[0].Comment != c.want.Comment || string(got[0].Value) != string(c.want.Value) ||
					got[0].By.Name != suite.Caller.Author().Name {
					t.Errorf("the decisions are %+v", got)
				}
			})
		})
	}
}

// A run whose answers cannot all count changes nothing.
func TestAnswersThatDoNotCount(t *testing.T) {
	for name, c := range map[string]struct {
		resume string // %[1]s is the approval
		code   domain.Code
	}{
		"an unknown interrupt": {`[{"interruptId":"apr_1","status":"resolved","payload":{"approved":true}}]`, domain.CodeNotFound},
		"an unknown status":    {`[{"interruptId":%[1]q,"status":"perhaps","payload":{"approved":true}}]`, domain.CodeInvalid},
		"no payload":           {`[{"interruptId":%[1]q,"status":"resolved"}]`, domain.CodeInvalid},
		"another form":         {`[{"interruptId":%[1]q,"status":"resolved","payload":{"value":"yes"}}]`, domain.CodeInvalid},
		"answered twice": {
			`[{"interruptId":%[1]q,"status":"cancelled"},{"interruptId":%[1]q,"status":"resolved","payload":{"approved":true}}]`, domain.CodeInvalid,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := suite.NewWorld(t)
				approval := asked(t, w, domain.ApprovalActions)
				resume := c.resume
				if strings.Contains(resume, "%[1]") {
					resume = fmt.Sprintf(resume, approval)
				}
				if end := last(post(t, w, body(`,"resume":`+resume))); end.Type != "RUN_ERROR" || end.Code != string(c.code) {
					t.Errorf("it ends with %+v", end)
				}
				if got := w.Decisions(); len(got) > 0 {
					t.Errorf("decided was %+v", got)
				}
			})
		})
	}
}

// An interrupt whose time is over is answered with an error.
func TestAnInterruptThatExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		approval := asked(t, w, domain.ApprovalActions)
		w.Expire()
		resume := fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]`, approval)
		if end := last(post(t, w, body(resume))); end.Code != string(domain.CodeApprovalExpired) {
			t.Errorf("it ends with %+v", end)
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Errorf("decided was %+v", got)
		}
	})
}

// A message that was sent cannot be changed, and an answer to no message finds none.
func TestAMessageThatWasSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		if end := last(post(t, w, body(`,"resume":[{"interruptId":"apr_1","status":"cancelled"}]`))); end.Code != string(domain.CodeNotFound) {
			t.Errorf("an answer to no message ends with %+v", end)
		}
		asked(t, w, domain.ApprovalBudget)
		changed := strings.Replace(body(""), suite.Text, "Goodbye", 1)
		if end := last(post(t, w, changed)); end.Code != string(domain.CodeInvalid) || !strings.Contains(end.Message, "cannot be changed") {
			t.Errorf("a changed message ends with %+v", end)
		}
	})
}

// The results of the front end's tools continue the round that made the calls.
func TestResultsOfTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		approval := asked(t, w, domain.ApprovalClientCalls)
		calls := []string{domain.ClientCallID(approval, 0), domain.ClientCallID(approval, 1)}
		if end := last(post(t, w, body(""))); end.Outcome.Type != "success" || !slices.Equal(end.Outcome.Pending, calls) {
			t.Errorf("the calls are %+v", end)
		}
		go func() {
			time.Sleep(time.Second)
			w.Answer("Sunny.")
		}()
		failed := fmt.Sprintf(`{"id":"r2","role":"tool","toolCallId":%q,"content":"late","error":"no clock"}`, calls[1])
		events := post(t, w, withResults(result(calls[0], "sunny"), failed))
		text := ""
		for _, e := range events {
			if e.Type == "TEXT_MESSAGE_CONTENT" {
				text += e.Delta
			}
		}
		if end := last(events); end.Outcome.Type != "success" || text != "Sunny." {
			t.Errorf("with %q it ends with %+v", text, end)
		}
		got := w.Decisions()
		if len(got) != 1 || len(got[0].Results) != 2 || got[0].Results[0].Text != "sunny" || got[0].Results[1].Text != "Error: no clock\nlate" {
			t.Errorf("the results are %+v", got)
		}
	})
}

// Every call has exactly one result. Otherwise nothing is changed.
func TestResultsThatDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		approval := asked(t, w, domain.ApprovalClientCalls)
		one, two := domain.ClientCallID(approval, 0), domain.ClientCallID(approval, 1)
		for name, c := range map[string]struct{ body, says string }{
			"missing":   {withResults(result(one, "a")), "has no result"},
			"doubled":   {withResults(result(one, "a"), result(one, "a"), result(two, "b")), "two results"},
			"unknown":   {withResults(result("call_1", "a"), result(two, "b")), "call_1"},
			"no text":   {withResults(strings.Replace(result(one, "a"), `"a"`, "7", 1)), "text"},
			"a picture": {withResults(strings.Replace(result(one, "a"), `"a"`, `[{"type":"binary","data":"aGVsbG8="}]`, 1)), "must be text"},
			"and an end of the wait": {
				strings.TrimSuffix(withResults(result(one, "a"), result(two, "b")), "}") + fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":"cancelled"}]}`, approval), "twice",
			},
		} {
			if end := last(post(t, w, c.body)); end.Outcome.Type != "" || !strings.Contains(end.Message, c.says) {
				t.Errorf("%s ends with %+v", name, end)
			}
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Errorf("submitted was %+v", got)
		}
	})
}

// Tools of the front end are offered with their message, and refused if they cannot be.
func TestToolsOfTheFrontEnd(t *testing.T) {
	for name, c := range map[string]struct{ tools, says string }{
		"one":           {`[{"name":"f","description":"d","parameters":{"type":"object"}}]`, ""},
		"without any":   {`[{"name":"f"}]`, ""},
		"the same name": {`[{"name":"f"},{"name":"f"}]`, "two tools"},
		"no name":       {`[{"name":""}]`, "name"},
		"no schema":     {`[{"name":"f","parameters":7}]`, "JSON Schema"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := suite.NewWorld(t)
				answers := time.AfterFunc(time.Second, func() { w.Answer("Yes.") })
				defer answers.Stop()
				end := last(post(t, w, body(`,"tools":`+c.tools)))
				if (end.Type == "RUN_ERROR") != (c.says != "") || !strings.Contains(end.Message, c.says) || w.Sent() == (c.says != "") {
					t.Errorf("it ends with %+v", end)
				}
			})
		})
	}
}
