package outside

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *TaskHandlers) ListTasks(w http.ResponseWriter, r *http.Request) {
	status, err := edge.OneOf(r, "status", domain.TaskStatuses...)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.TaskFrom, func(limit int) ([]*domain.Task, string, error) {
		return s.Tasks.Tasks(r.Context(), edge.Caller(r).Workspace, domain.TaskFilter{
			SessionID: r.URL.Query().Get("session_id"), Status: status, Cursor: after, Limit: limit,
		})
	})
}

func (s *TaskHandlers) GetTask(w http.ResponseWriter, r *http.Request) {
	task, err := s.Tasks.Task(r.Context(), edge.Caller(r).Workspace, taskID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.TaskFrom(task))
}

func (s *TaskHandlers) CancelTask(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	task, err := s.Tasks.CancelTask(r.Context(), who.Workspace, taskID(r), who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.TaskFrom(task))
}

// CurrentTask is the answer about a task that was cancelled.
func (s *TaskHandlers) CurrentTask(r *http.Request, ws string, _ *edge.KeyClaim) (status int, body any, err error) {
	found, err := s.Tasks.Task(r.Context(), ws, taskID(r))
	return edge.RebuildCurrent(found, err, api.TaskFrom)
}

func taskID(r *http.Request) string { return chi.URLParam(r, "task_id") }
