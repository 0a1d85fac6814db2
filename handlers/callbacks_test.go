package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// service is the service that works on the tasks of the story, which signs with aSecret.
type service struct{ Callbacks }

const aSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func (s *service) CallbackSecrets(_ context.Context, task string) ([]string, error) {
	switch task {
	case "tsk_1":
		return []string{aSecret}, nil
	case "tsk_gone": // its connector is
		return nil, nil
	}
	return nil, domain.NotFound("task")
}

var signed atomic.Int64

// sign signs a body as the service does, as of the time of the world.
func sign(t testing.TB, h http.Header, body string) {
	t.Helper()
	signAs(t, h, fmt.Sprintf("evt_%d", signed.Add(1)), worldTime.Add(time.Minute), body, aSecret)
}

func signAs(t testing.TB, h http.Header, id string, at time.Time, body, secret string) {
	t.Helper()
	if err := auth.SignWebhook(h, id, at, []byte(body), secret); err != nil {
		t.Fatal(err)
	}
}

// addTasks gives the fixture's session a running task at a service.
func addTasks(t testing.TB, b Behind) {
	t.Helper()
	v, err := b.Store.View(t.Context(), domain.DefaultWorkspace, "ses_1")
	if err != nil {
		t.Fatal(err)
	}
	task := &domain.Task{
		ID: "tsk_1", WorkspaceID: domain.DefaultWorkspace, SessionID: "ses_1", ExecutionID: "exe_task", ConnectorID: "con_1",
		Command: "RENDER.FILM", Status: domain.TaskRunning, Deadline: worldTime.Add(24 * time.Hour), CreatedAt: worldTime,
		UpdatedAt: worldTime, Attempts: 1,
	}
	task.SetDue(worldTime)
	change := &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: worldTime, Sessions: []domain.SessionWrite{{Session: v.Session}}, Tasks: []*domain.Task{task}}
	change.Emit(domain.LogEvent{SessionID: "ses_1", Type: domain.LogTaskChanged, Task: task})
	if err := b.Store.Commit(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

func everyTask(_ *testing.T, _ *world, c *testClient) {
	all(c, []call{
		{200, "GET", "/v1/tasks", ""}, {200, "GET", "/v1/tasks?session_id=ses_1&status=running&limit=1", ""},
		{422, "GET", "/v1/tasks?status=lost", ""}, {200, "GET", "/v1/tasks/tsk_1", ""}, {404, "GET", "/v1/tasks/tsk_9", ""},
		{200, "POST", "/v1/callbacks/tsk_1", `{"status":"running","progress":{"percent":50,"text":"half"}}`},
		{200, "POST", "/v1/callbacks/tsk_1", `{"status":"succeeded","result":{"film":"1.mp4"}}`},
		{200, "POST", "/v1/callbacks/tsk_1", `{"status":"succeeded","result":"another message, the same end"}`},
		{409, "POST", "/v1/callbacks/tsk_1", `{"status":"failed","error":"no"}`},
		{409, "POST", "/v1/tasks/tsk_1/cancel", ""}, {404, "POST", "/v1/tasks/tsk_9/cancel", ""},
		{404, "POST", "/v1/callbacks/tsk_9", `{"status":"failed"}`}, {401, "POST", "/v1/callbacks/tsk_gone", `{"status":"failed"}`},
	})
	got := c.want(200, "GET", "/v1/tasks/tsk_1", "")
	if late, _ := got.body["late"].(map[string]any); got.body["status"] != "succeeded" || late["status"] != "failed" || late["error"] != "no" {
		c.t.Errorf("in the end: %s", got.text)
	}
}

// cancelledTask: by a person, once.
func cancelledTask(t *testing.T, _ *world, c *testClient) {
	for range 2 {
		if got := c.want(200, "POST", "/v1/tasks/tsk_1/cancel", ""); got.body["status"] != "cancelled" {
			t.Errorf("cancelled: %s", got.text)
		}
	}
	c.want(409, "POST", "/v1/callbacks/tsk_1", `{"status":"succeeded"}`)
	c.want(409, "POST", "/v1/callbacks/tsk_1", `{"status":"running"}`)
}

// TestCallbacksThatAreNotSigned, by whom they must be: nothing of them is read, and nothing
// happens.
func TestCallbacksThatAreNotSigned(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	now, body := worldTime.Add(time.Minute), `{"status":"succeeded"}`
	for name, h := range map[string]func(http.Header){
		"by another":    func(h http.Header) { signAs(t, h, "evt_x", now, body, auth.NewWebhookSecret()) },
		"for another":   func(h http.Header) { signAs(t, h, "evt_x", now, `{"status":"failed"}`, aSecret) },
		"under an id":   func(h http.Header) { signAs(t, h, "evt_x", now, body, aSecret); h.Set(auth.HeaderWebhookID, "evt_y") },
		"long ago":      func(h http.Header) { signAs(t, h, "evt_x", now.Add(-6*time.Minute), body, aSecret) },
		"in the future": func(h http.Header) { signAs(t, h, "evt_x", now.Add(6*time.Minute), body, aSecret) },
		"with no id":    func(h http.Header) { signAs(t, h, "evt_x", now, body, aSecret); h.Set(auth.HeaderWebhookID, "") },
		"with no time":  func(h http.Header) { signAs(t, h, "evt_x", now, body, aSecret); h.Set(auth.HeaderWebhookTimestamp, "") },
		"at another": func(h http.Header) {
			signAs(t, h, "evt_x", now, body, aSecret)
			h.Set(auth.HeaderWebhookTimestamp, "1")
		},
		"with no prefix": func(h http.Header) {
			signAs(t, h, "evt_x", now, body, aSecret)
			h.Set(auth.HeaderWebhookSignature, "v2,abc")
		},
	} {
		headers := http.Header{}
		h(headers)
		for _, text := range []string{body, strings.TrimSuffix(body, "}")} {
			got := c.do("POST", "/v1/callbacks/tsk_1", text, auth.HeaderWebhookID, headers.Get(auth.HeaderWebhookID),
				auth.HeaderWebhookTimestamp, headers.Get(auth.HeaderWebhookTimestamp), auth.HeaderWebhookSignature, headers.Get(auth.HeaderWebhookSignature))
			if got.status != 401 || got.body["code"] != "bad_signature" {
				t.Errorf("signed %s, %s: %d %s", name, text, got.status, got.text)
			}
		}
	}
	if got := c.want(200, "GET", "/v1/tasks/tsk_1", ""); got.body["status"] != "running" {
		t.Errorf("afterwards: %s", got.text)
	}
	if got := c.do("POST", "/v1/callbacks/tsk_1", `{"status":"succeeded","result":"`+strings.Repeat("a", 300<<10)+`"}`); got.status != 413 {
		t.Errorf("a large one: %d", got.status)
	}
}

// TestForgedCallbacksAreLimited for each address; genuine ones pass all the same.
func TestForgedCallbacksAreLimited(t *testing.T) {
	c := newWorld(t).serveWith(t, RateLimits{HooksPerSecond: 1e-9, HooksBurst: 3})
	for i, status := range []int{401, 404, 401, 429, 429} {
		path := map[bool]string{true: "/v1/callbacks/tsk_9", false: "/v1/callbacks/tsk_1"}[status == 404]
		if got := c.do("POST", path, `{}`, auth.HeaderWebhookSignature, "v1,abc"); got.status != status {
			t.Errorf("the %d. forged one: %d, not %d", i+1, got.status, status)
		}
	}
	for i := range 10 {
		c.want(200, "POST", "/v1/callbacks/tsk_1", fmt.Sprintf(`{"status":"running","progress":{"percent":%d}}`, i))
	}
}

// TestReportsOfOtherTasks: a report that is signed for one task is taken for no other of the service.
func TestReportsOfOtherTasks(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	at := worldTime.Add(time.Minute)
	send := func(task, id, body string) int {
		h := http.Header{}
		signAs(t, h, id, at, body, aSecret)
		return c.do("POST", "/v1/callbacks/"+task, body, auth.HeaderWebhookID, id,
			auth.HeaderWebhookTimestamp, h.Get(auth.HeaderWebhookTimestamp), auth.HeaderWebhookSignature, h.Get(auth.HeaderWebhookSignature)).status
	}
	for name, c := range map[string]struct {
		id, body string
		want     int
	}{
		"named in the id":           {"tsk_1-3", `{"status":"running"}`, 200},
		"another in the id":         {"tsk_2-3", `{"status":"succeeded"}`, 401},
		"one that begins like it":   {"tsk_12", `{"status":"succeeded"}`, 401},
		"named in the body":         {"evt_a", `{"task_id":"tsk_1","status":"running"}`, 200},
		"another in the body":       {"evt_b", `{"task_id":"tsk_2","status":"succeeded"}`, 401},
		"another, in both":          {"tsk_1-4", `{"task_id":"tsk_2","status":"succeeded"}`, 401},
		"its status in other cases": {"evt_c", `{"Status":"succeeded","status":"running"}`, 422},
		"its status twice":          {"evt_d", `{"status":"running","status":"succeeded"}`, 400},
		"named nowhere":             {"evt_e", `{"status":"running"}`, 200},
	} {
		if got := send("tsk_1", c.id, c.body); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestASignedReportIsOfOneTask: what was taken for one task is not taken for another one.
func TestASignedReportIsOfOneTask(t *testing.T) {
	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"status":"succeeded"}`
	at := time.Date(2026, 3, 2, 12, 1, 0, 0, time.UTC)
	routes := &taskRoutes{reports: newReports(func() time.Time { return at })}
	h := http.Header{}
	if err := auth.SignWebhook(h, "evt_f", at, []byte(body), secret); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false} {
		task := "tsk_1"
		if i > 1 {
			task = "tsk_2"
		}
		if got := routes.isOf(task, h, []byte(body), []string{secret}); got != want {
			t.Errorf("%d: taken for %s: %v", i, task, got)
		}
		h.Add(auth.HeaderWebhookSignature, "v1,other") // more signatures make no other message
	}
}
