package handlers

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// Tasks is the work that other services do for sessions.
type Tasks interface {
	Task(ctx context.Context, ws, id string) (*domain.Task, error)
	Tasks(ctx context.Context, ws string, f domain.TaskFilter) ([]*domain.Task, string, error)
	// CancelTask cancels the task for the session at once, and at the service as soon as it can be reached.
	CancelTask(ctx context.Context, ws, id string, by domain.Author) (*domain.Task, error)
}

// Callbacks receive reports of services on tasks. A signature proves that the caller is the service.
type Callbacks interface {
	// CallbackSecrets are those that a report about a task may be signed with. An unknown
	// task is a domain not_found error.
	CallbackSecrets(ctx context.Context, task string) ([]string, error)
	ReportTask(ctx context.Context, task string, report domain.TaskReport) (*domain.Task, error)
}

// TaskPorts are about the work of other services.
type TaskPorts struct {
	Tasks     Tasks
	Callbacks Callbacks
}

// taskRoutes handles requests for tasks, and the reports of services.
type taskRoutes struct {
	*edge
	TaskPorts

	reports *reports
}

func (s *taskRoutes) listTasks(w http.ResponseWriter, r *http.Request) {
	status, err := oneOf(r, "status", domain.TaskStatuses...)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.TaskFrom, func(limit int) ([]*domain.Task, string, error) {
		return s.Tasks.Tasks(r.Context(), caller(r).Workspace, domain.TaskFilter{
			SessionID: r.URL.Query().Get("session_id"), Status: status, Cursor: after, Limit: limit,
		})
	})
}

func (s *taskRoutes) getTask(w http.ResponseWriter, r *http.Request) {
	task, err := s.Tasks.Task(r.Context(), caller(r).Workspace, taskID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.TaskFrom(task))
}

func (s *taskRoutes) cancelTask(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	task, err := s.Tasks.CancelTask(r.Context(), who.Workspace, taskID(r), who.Author())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.TaskFrom(task))
}

// currentTask is the answer about a task that was cancelled.
func (s *taskRoutes) currentTask(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Tasks.Task(r.Context(), ws, taskID(r))
	return current(found, err, api.TaskFrom)
}

func taskID(r *http.Request) string { return chi.URLParam(r, "task_id") }
