package uichat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// post sends a chat request, and returns the types of its chunks, its text, and the code of an error.
func post(t *testing.T, w *suite.World, body string) (chunks []string, text string, code domain.Code) {
	t.Helper()
	response := httptest.NewRecorder()
	d := &Chat{Config{w.Config()}}
	if err := d.Serve(response, httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(body)), suite.Caller, []byte(body)); err != nil {
		return nil, "", domain.ErrorCode(err)
	}
	chunks, text = read(t, response)
	return chunks, text, ""
}

func read(t *testing.T, response *httptest.ResponseRecorder) (chunks []string, text string) {
	t.Helper()
	for line := range strings.SplitSeq(response.Body.String(), "\n\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c struct{ Type, Delta string }
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if chunks = append(chunks, c.Type); c.Type == "text-delta" {
			text += c.Delta
		}
	}
	return chunks, text
}

// body is a request with the message of the user, and with the parts of the answer that the front end has.
func body(trigger string, parts ...string) string {
	messages := fmt.Sprintf(`{"id":"m1","role":"user","parts":[{"type":"text","text":%q}]}`, suite.Text)
	if len(parts) > 0 {
		messages += `,{"id":"a","role":"assistant","parts":[{"type":"step-start"},` + strings.Join(parts, ",") + `]}`
	}
	return fmt.Sprintf(`{"id":%q,"trigger":%q,"messages":[%s]}`, suite.SessionID, trigger, messages)
}

const submit = "submit-message"

// responded is the decision on a call, output the output of one.
func responded(approval string, approved bool, reason string) string {
	return fmt.Sprintf(`{"type":"dynamic-tool","toolCallId":"x","state":"approval-responded","approval":{"id":%q,"approved":%v,"reason":%q}}`,
		approval, approved, reason)
}

func output(call, state, value string) string {
	return fmt.Sprintf(`{"type":"dynamic-tool","toolCallId":%q,"state":%q,"output":%s}`, call, state, value)
}

// asked begins a round that waits for an approval of a kind, and returns its id.
func asked(t *testing.T, w *suite.World, kind domain.ApprovalKind) (approval string) {
	t.Helper()
	go func() {
		time.Sleep(time.Second)
		approval = w.Ask(kind)
	}()
	if chunks, _, code := post(t, w, body(submit)); !slices.Contains(chunks, "finish") {
		t.Fatalf("it receives %q, %s", chunks, code)
	}
	synctest.Wait() // listeners may be faster than the return of Ask
	return approval
}

// Invalid requests are refused with what is wrong in them.
func TestInvalidChats(t *testing.T) {
	message := func(parts string) string {
		return `{"id":"c","messages":[{"id":"m","role":"user","parts":[` + parts + `]}]}`
	}
	for name, c := range map[string]struct{ body, at string }{
		"a list":               {`[]`, ""},
		"no chat":              {`{"messages":[]}`, "/id"},
		"a chat of two lines":  {`{"id":"a\nb"}`, "/id"},
		"no message":           {`{"id":"c","messages":[{"id":"a","role":"assistant"}]}`, "/messages"},
		"no id of the message": {`{"id":"c","messages":[{"role":"user","parts":[{"type":"text","text":"hi"}]}]}`, "/messages"},
		"nothing said":         {message(`{"type":"text","text":" "}`), "/messages"},
		"too much":             {message(`{"type":"text","text":"` + strings.Repeat("a", maxMessage+1) + `"}`), "/messages"},
		"no parts":             {message(`7`), ""},
		"a file at a URL":      {message(`{"type":"file","url":"https://a.example/a.png"}`), "/messages/0/parts/0/url"},
		"an answer of no form": {`{"id":"c","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"hi"}]},{"role":"assistant","parts":[7]}]}`, ""},
	} {
		_, err := readInput([]byte(c.body))
		wrong, ok := errors.AsType[*domain.Error](err)
		if !ok || wrong.Code != domain.CodeInvalid {
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

// What a person decides in the front end is the answer to what the session waits for.
func TestAnApprovalIsAnswered(t *testing.T) {
	const one, two = ".exe_00000000000000000000000000000004", ".exe_00000000000000000000000000000006"
	for name, c := range map[string]struct {
		kind  domain.ApprovalKind
		parts func(approval string) []string
		want  domain.Decision
	}{
		"both actions": {domain.ApprovalActions, func(a string) []string { return []string{responded(a+one, true, ""), responded(a+two, true, "")} },
			domain.Decision{Approved: true}},
		"one of them": {domain.ApprovalActions, func(a string) []string { return []string{responded(a+one, true, ""), responded(a+two, false, "no")} },
			domain.Decision{Approved: true, ApprovedIDs: []string{strings.TrimPrefix(one, ".")}, Comment: "no"}},
		"none": {domain.ApprovalActions, func(a string) []string {
			return []string{responded(a+one, false, "never"), responded(a+two, false, "")}
		}, domain.Decision{Comment: "never"}},
		"a question": {domain.ApprovalQuestion, func(a string) []string { return []string{output(a, "output-available", `"red"`)} },
			domain.Decision{Approved: true, Value: json.RawMessage(`"red"`)}},
		"a question without an answer": {domain.ApprovalQuestion, func(a string) []string { return []string{output(a, "output-error", `null`)} },
			domain.Decision{Cancelled: true}},
		"a limit":                {domain.ApprovalBudget, func(a string) []string { return []string{responded(a, true, "")} }, domain.Decision{Approved: true}},
		"the tools of a program": {domain.ApprovalClientCalls, func(a string) []string { return []string{output(a, "output-error", `null`)} }, domain.Decision{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := suite.NewWorld(t)
				approval := asked(t, w, c.kind)
				answers := time.AfterFunc(time.Second, func() { w.Answer("Done.") })
				defer answers.Stop()
				if _, text, code := post(t, w, body(submit, c.parts(approval)...)); text != "Done." || code != "" {
					t.Errorf("it receives %q, %s", text, code)
				}
				got := w.Decisions()
				if len(got) != 1 || got[0].Approved != c.want.Approved || got[0].Comment != c.want.Comment || string(got[0].Value) != string(c.want.Value) ||
					!slices.Equal(got[0].ApprovedIDs, c.want.ApprovedIDs) || got[0].Cancelled != c.want.Cancelled {
					t.Errorf("the decisions are %+v", got)
				}
			})
		})
	}
}

// Answers of which one cannot count change nothing.
func TestAnswersThatDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		approval := asked(t, w, domain.ApprovalActions)
		const one = ".exe_00000000000000000000000000000004"
		for name, c := range map[string]struct {
			parts []string
			code  domain.Code
		}{
			"unknown":         {[]string{responded("apr_1", true, "")}, domain.CodeNotFound},
			"not all actions": {[]string{responded(approval+one, true, "")}, domain.CodeInvalid},
			"contradictory":   {[]string{responded(approval+one, true, ""), responded(approval+one, false, "")}, domain.CodeInvalid},
		} {
			if _, _, code := post(t, w, body(submit, c.parts...)); code != c.code {
				t.Errorf("%s: %s", name, code)
			}
		}
		w.Change(func(a *domain.Approval) { a.Kind = domain.ApprovalClientCalls })
		if _, _, code := post(t, w, body(submit, responded(approval, true, ""))); code != domain.CodeInvalid {
			t.Errorf("tools of a program are approved: %s", code)
		}
		w.Expire()
		if _, _, code := post(t, w, body(submit, responded(approval, true, ""))); code != domain.CodeApprovalExpired {
			t.Errorf("too late: %s", code)
		}
		changed := strings.Replace(body(submit), suite.Text, "Goodbye", 1)
		if _, _, code := post(t, w, changed); code != domain.CodeInvalid {
			t.Errorf("a changed message: %s", code)
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Errorf("decided was %+v", got)
		}
	})
}

// The newest message is answered again: by another round, or by the one that is in progress.
func TestAnotherAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		if _, _, code := post(t, w, body(regenerate)); code != domain.CodeNotFound {
			t.Errorf("of no message: %s", code)
		}
		answers := time.AfterFunc(time.Second, func() { w.Answer("One.") })
		defer answers.Stop()
		if _, text, _ := post(t, w, body(submit)); text != "One." {
			t.Errorf("the answer is %q", text)
		}
		another := time.AfterFunc(time.Minute, func() { w.Answer("Two.") })
		defer another.Stop()
		var texts [2]string
		go func() { _, texts[1], _ = post(t, w, body(regenerate)) }()
		_, texts[0], _ = post(t, w, body(regenerate))
		synctest.Wait()
		for _, text := range texts {
			if !strings.HasSuffix(text, "Two.") {
				t.Errorf("the other answer is %q", text)
			}
		}
	})
}

// A round in progress is streamed again from its beginning, and one that is over for a while.
func TestAStreamIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		resume := func(chat string) (int, string) {
			route := chi.NewRouteContext()
			route.URLParams.Add("id", chat)
			response := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(context.WithValue(t.Context(), chi.RouteCtxKey, route), "GET", "/", http.NoBody)
			if err := (&Resumption{Config{w.Config()}}).Serve(response, r, suite.Caller, nil); err != nil {
				return 0, string(domain.ErrorCode(err))
			}
			_, text := read(t, response)
			return response.Code, text
		}
		for chat, want := range map[string]int{suite.SessionID: http.StatusNoContent, "another": http.StatusNoContent, "": 0} {
			if status, _ := resume(chat); status != want {
				t.Errorf("%q without a round is %d", chat, status)
			}
		}
		answers := time.AfterFunc(time.Second, func() { w.Answer("Hello.") })
		defer answers.Stop()
		post(t, w, body(submit))
		if status, text := resume(suite.SessionID); status != http.StatusOK || text != "Hello." {
			t.Errorf("it is %d %q", status, text)
		}
		time.Sleep(resumableFor + time.Second)
		if status, _ := resume(suite.SessionID); status != http.StatusNoContent {
			t.Errorf("long after its end it is %d", status)
		}
	})
}
