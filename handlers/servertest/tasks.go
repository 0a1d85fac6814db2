package servertest

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/outside"
)

// service is the service that works on the tasks of the story, which signs with TaskSecret.
type service struct{ outside.Callbacks }

const TaskSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func (s *service) CallbackSecrets(_ context.Context, task string) ([]string, error) {
	switch task {
	case "tsk_1":
		return []string{TaskSecret}, nil
	case "tsk_gone": // its connector is
		return nil, nil
	}
	return nil, domain.NotFound("task")
}

var signed atomic.Int64

// sign signs a body as the service does, as of the time of the world.
func sign(tb testing.TB, h http.Header, body string) {
	tb.Helper()
	SignAs(tb, h, fmt.Sprintf("evt_%d", signed.Add(1)), WorldTime.Add(time.Minute), body, TaskSecret)
}

func SignAs(tb testing.TB, h http.Header, id string, at time.Time, body, secret string) {
	tb.Helper()
	if err := auth.SignWebhook(h, id, at, []byte(body), secret); err != nil {
		tb.Fatal(err)
	}
}

// addTasks gives the fixture's session a running task at a service.
func addTasks(tb testing.TB, b Behind) {
	tb.Helper()
	v, err := b.Store.View(tb.Context(), domain.DefaultWorkspace, "ses_1")
	if err != nil {
		tb.Fatal(err)
	}
	task := &domain.Task{
		ID: "tsk_1", WorkspaceID: domain.DefaultWorkspace, SessionID: "ses_1", ExecutionID: "exe_task", ConnectorID: "con_1",
		Command: "RENDER.FILM", Status: domain.TaskRunning, Deadline: WorldTime.Add(24 * time.Hour), CreatedAt: WorldTime,
		UpdatedAt: WorldTime, Attempts: 1,
	}
	task.SetDue(WorldTime)
	change := &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: WorldTime, Sessions: []domain.SessionWrite{{Session: v.Session}}, Tasks: []*domain.Task{task}}
	change.Emit(domain.LogEvent{SessionID: "ses_1", Type: domain.LogTaskChanged, Task: task})
	if err := b.Store.Commit(tb.Context(), change); err != nil {
		tb.Fatal(err)
	}
}
