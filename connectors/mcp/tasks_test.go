package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// A task of a server that others wrote (2025-11-25), from the call to its result, followed
// over another connection to the same server.
func TestEverythingTask(t *testing.T) {
	config := Config{URL: everythingOverHTTP(t)}
	c := open(t, config)
	l := list(t, c)
	r := call(t, c, l, "SIMULATE_RESEARCH_QUERY", `{"topic":"bees"}`)
	if r.Task == nil || r.Task.ID == "" || r.Task.Poll != time.Second || r.Task.Deadline.IsZero() {
		t.Fatalf("no task: %+v", r)
	}
	var state connectors.TaskState
	testkit.Until(t, "the task is done", func() bool {
		var err error
		if state, err = c.Task(t.Context(), r.Task.ID); err != nil {
			t.Fatalf("%v (%v)", err, unwrap(err))
		}
		return state.Done
	})
	if state.Cancelled || state.Result == nil || !strings.Contains(state.Result.Text, "Research Report: bees") {
		t.Errorf("it ended %+v, %+v", state, state.Result)
	}
	other := call(t, c, l, "SIMULATE_RESEARCH_QUERY", `{"topic":"wasps"}`)
	if err := c.CancelTask(t.Context(), other.Task.ID); err != nil {
		t.Fatal(err)
	}
	if state, err := c.Task(t.Context(), other.Task.ID); err != nil || !state.Done || !state.Cancelled {
		t.Errorf("cancelled: %+v %v", state, err)
	}
	if _, err := c.Task(t.Context(), "no-such-task"); outside.FaultOf(err) != outside.FaultRefused {
		t.Errorf("an unknown task: %v", err)
	}
}

// A task of that server asks in its middle: the question comes with the wait for its result,
// a look later it is the same one, and the answer lets the task go on.
func TestEverythingTaskAsks(t *testing.T) {
	for _, answer := range []string{`{"interpretation":"technical"}`, "null"} {
		c := open(t, Config{URL: everythingOverHTTP(t)})
		r := call(t, c, list(t, c), "SIMULATE_RESEARCH_QUERY", `{"topic":"python","ambiguous":true}`)
		if r.Task == nil {
			t.Fatalf("no task: %+v", r)
		}
		look := func() connectors.TaskState {
			t.Helper()
			state, err := c.Task(t.Context(), r.Task.ID)
			if err != nil {
				t.Fatalf("%v (%v)", err, unwrap(err))
			}
			return state
		}
		var asked connectors.TaskState
		testkit.Until(t, "it asks", func() bool { asked = look(); return asked.Question != nil || asked.Done })
		if asked.Done || asked.Question.Type != "Form" || asked.QuestionKey == "" {
			t.Fatalf("it asks %+v, %s", asked, asked.Question.Data)
		}
		if again := look(); again.QuestionKey != asked.QuestionKey {
			t.Errorf("a look later it asks %+v", again.Question)
		}
		if err := c.AnswerTask(t.Context(), r.Task.ID, asked.QuestionKey, json.RawMessage(answer)); err != nil {
			t.Fatal(err)
		}
		var end connectors.TaskState
		testkit.Until(t, "the task is done", func() bool { end = look(); return end.Done })
		if end.Result == nil || !strings.Contains(end.Result.Text, "python") {
			t.Errorf("after %s it ended %+v", answer, end.Result)
		}
	}
}

// A task of 2026-07-28: the handle that the SDK would drop, a question in the middle, and
// the result that comes with the state.
func TestTask(t *testing.T) {
	s := newRawServer(t, false)
	state := `"status":"working","statusMessage":"at it","pollIntervalMs":20`
	s.on("tools/call", func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		reply(w, m, `{"resultType":"task","taskId":"t-1","status":"working","pollIntervalMs":2500,"ttlMs":60000}`)
	})
	s.on(methodTask, func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		reply(w, m, `{"resultType":"complete","taskId":"t-1",`+state+`}`)
	})
	s.on(methodTaskUpdate, func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		state = `"status":"completed","result":{"content":[{"type":"text","text":"worked"}],"isError":true}`
		reply(w, m, `{"resultType":"complete"}`)
	})
	s.on(methodTaskCancel, func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		state = `"status":"cancelled"`
		reply(w, m, `{"resultType":"complete"}`)
	})
	c := open(t, Config{URL: s.URL})
	r, err := try(t.Context(), c, doIt(""), `{}`)
	if err != nil || r.Task == nil || r.Task.ID != "t-1" || r.Task.Poll != 2500*time.Millisecond || r.Task.Deadline.IsZero() {
		t.Fatalf("%+v %v", r, err)
	}
	ask := func() connectors.TaskState {
		t.Helper()
		state, err := c.Task(t.Context(), "t-1")
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	if got := ask(); got.Done || got.Text != "at it" || got.Poll != minPoll {
		t.Errorf("working: %+v", got)
	}
	if _, h := s.last(t, methodTask); h.Get("Mcp-Name") != "t-1" || h.Get("Mcp-Method") != methodTask {
		t.Errorf("asked with %v", h)
	}
	if err := c.AnswerTask(t.Context(), "t-1", "k", json.RawMessage(`true`)); err != nil || s.count(methodTaskUpdate) != 0 {
		t.Errorf("nothing was asked: %v, %d updates", err, s.count(methodTaskUpdate))
	}
	state = `"status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Sure?"}}}`
	if got := ask(); got.Done || got.Question == nil || got.Question.Type != "Validation" || got.QuestionKey != "k" {
		t.Errorf("asks: %+v", got)
	}
	if err := c.AnswerTask(t.Context(), "t-1", "before", json.RawMessage(`true`)); err != nil || s.count(methodTaskUpdate) != 0 {
		t.Errorf("another question: %v", err)
	}
	if err := c.AnswerTask(t.Context(), "t-1", "k", json.RawMessage(`true`)); err != nil {
		t.Fatal(err)
	}
	if m, _ := s.last(t, methodTaskUpdate); !strings.Contains(string(m.Params), `"inputResponses":{"k":{"action":"accept","content":{}}}`) {
		t.Errorf("answered %s", m.Params)
	}
	if got := ask(); !got.Done || got.Result.Text != "worked" || !got.Result.Failed {
		t.Errorf("done: %+v", got)
	}
	if err := c.CancelTask(t.Context(), "t-1"); err != nil {
		t.Fatal(err)
	}
	if got := ask(); !got.Done || !got.Cancelled || !got.Result.Failed {
		t.Errorf("cancelled: %+v", got)
	}
	state = `"status":"failed","error":{"code":-32603,"message":"it broke"}`
	if got := ask(); !got.Done || got.Cancelled || got.Result.Text != "it broke" {
		t.Errorf("failed: %+v", got)
	}
	for _, odd := range []string{`"status":"dancing"`, `"status":5`, `"status":"completed"`} {
		state = odd
		if got, err := c.Task(t.Context(), "t-1"); outside.FaultOf(err) != outside.FaultUnknown || got.Done {
			t.Errorf("%s: %+v %v", odd, got, err)
		}
	}
}

// Without support for questions and tasks, servers are informed, and what they do all the same is
// no result.
func TestNoQuestionsAndNoTasks(t *testing.T) {
	s := newRawServer(t, false)
	c := open(t, Config{URL: s.URL}, func(o *Options) { o.Questions, o.Tasks = false, false })
	list(t, c)
	if m, _ := s.last(t, "tools/list"); !strings.Contains(string(m.Params), `"io.modelcontextprotocol/clientCapabilities":{}`) {
		t.Errorf("it says %s", m.Params)
	}
	for result, want := range map[string]outside.Fault{
		`{"resultType":"task","taskId":"t-1"}`: outside.FaultUnknown,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Sure?"}}}}`: outside.FaultRefused,
	} {
		s.on("tools/call", func(w http.ResponseWriter, _ *http.Request, m wireMessage) { reply(w, m, result) })
		if r, err := try(t.Context(), c, doIt(""), `{}`); err == nil || outside.FaultOf(err) != want {
			t.Errorf("%s: %+v %v", result, r, err)
		}
	}
}

// Servers without tasks only learn that we support them.
func TestCapabilities(t *testing.T) {
	for _, legacy := range []bool{true, false} {
		s := newRawServer(t, legacy)
		list(t, open(t, Config{URL: s.URL}))
		method := map[bool]string{true: methodInitialize, false: "tools/list"}[legacy]
		m, _ := s.last(t, method)
		var p struct {
			Capabilities json.RawMessage            `json:"capabilities"`
			Meta         map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		got := string(p.Capabilities)
		if !legacy {
			got = string(p.Meta["io.modelcontextprotocol/clientCapabilities"])
		}
		if want := `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{}}}`; got != want {
			t.Errorf("%s: %s", fmt.Sprint(legacy), got)
		}
	}
}
