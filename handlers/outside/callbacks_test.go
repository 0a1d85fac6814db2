package outside_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestCallbacksThatAreNotSigned, by whom they must be: nothing of them is read, and nothing
// happens.
func TestCallbacksThatAreNotSigned(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	now, body := servertest.WorldTime.Add(time.Minute), `{"status":"succeeded"}`
	for name, h := range map[string]func(http.Header){
		"by another": func(h http.Header) { servertest.SignAs(t, h, "evt_x", now, body, auth.NewWebhookSecret()) },
		"for another": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now, `{"status":"failed"}`, servertest.TaskSecret)
		},
		"under an id": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now, body, servertest.TaskSecret)
			h.Set(auth.HeaderWebhookID, "evt_y")
		},
		"long ago": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now.Add(-6*time.Minute), body, servertest.TaskSecret)
		},
		"in the future": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now.Add(6*time.Minute), body, servertest.TaskSecret)
		},
		"with no id": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now, body, servertest.TaskSecret)
			h.Set(auth.HeaderWebhookID, "")
		},
		"with no time": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now, body, servertest.TaskSecret)
			h.Set(auth.HeaderWebhookTimestamp, "")
		},
		"at another": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now, body, servertest.TaskSecret)
			h.Set(auth.HeaderWebhookTimestamp, "1")
		},
		"with no prefix": func(h http.Header) {
			servertest.SignAs(t, h, "evt_x", now, body, servertest.TaskSecret)
			h.Set(auth.HeaderWebhookSignature, "v2,abc")
		},
	} {
		headers := http.Header{}
		h(headers)
		for _, text := range []string{body, strings.TrimSuffix(body, "}")} {
			got := c.Do("POST", "/v1/callbacks/tsk_1", text, auth.HeaderWebhookID, headers.Get(auth.HeaderWebhookID),
				auth.HeaderWebhookTimestamp, headers.Get(auth.HeaderWebhookTimestamp), auth.HeaderWebhookSignature, headers.Get(auth.HeaderWebhookSignature))
			if got.Status != 401 || got.Body["code"] != "bad_signature" {
				t.Errorf("signed %s, %s: %d %s", name, text, got.Status, got.Text)
			}
		}
	}
	if got := c.Want(200, "GET", "/v1/tasks/tsk_1", ""); got.Body["status"] != "running" {
		t.Errorf("afterwards: %s", got.Text)
	}
	if got := c.Do("POST", "/v1/callbacks/tsk_1", `{"status":"succeeded","result":"`+strings.Repeat("a", 300<<10)+`"}`); got.Status != 413 {
		t.Errorf("a large one: %d", got.Status)
	}
}

// TestForgedCallbacksAreLimited for each address; genuine ones pass all the same.
func TestForgedCallbacksAreLimited(t *testing.T) {
	c := servertest.NewWorld(t).ServeWith(t, edge.RateLimits{HooksPerSecond: 1e-9, HooksBurst: 3})
	for i, status := range []int{401, 404, 401, 429, 429} {
		path := map[bool]string{true: "/v1/callbacks/tsk_9", false: "/v1/callbacks/tsk_1"}[status == 404]
		if got := c.Do("POST", path, `{}`, auth.HeaderWebhookSignature, "v1,abc"); got.Status != status {
			t.Errorf("the %d. forged one: %d, not %d", i+1, got.Status, status)
		}
	}
	for i := range 10 {
		c.Want(200, "POST", "/v1/callbacks/tsk_1", fmt.Sprintf(`{"status":"running","progress":{"percent":%d}}`, i))
	}
}

// TestReportsOfOtherTasks: a report that is signed for one task is taken for no other of the service.
func TestReportsOfOtherTasks(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	at := servertest.WorldTime.Add(time.Minute)
	send := func(task, id, body string) int {
		h := http.Header{}
		servertest.SignAs(t, h, id, at, body, servertest.TaskSecret)
		return c.Do("POST", "/v1/callbacks/"+task, body, auth.HeaderWebhookID, id,
			auth.HeaderWebhookTimestamp, h.Get(auth.HeaderWebhookTimestamp), auth.HeaderWebhookSignature, h.Get(auth.HeaderWebhookSignature)).Status
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
