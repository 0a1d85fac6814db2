package outside

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// TaskStore stores the tasks of other services.
type TaskStore struct{ db *transaction.DB }

// NewTaskStore makes the store of tasks.
func NewTaskStore(db *transaction.DB) *TaskStore { return &TaskStore{db} }

type taskRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	ID          string      `db:"id,key"`
	SessionID   string      `db:"session_id,once"`
	ExecutionID string      `db:"execution_id,once"`
	ConnectorID string      `db:"connector_id,once"`
	Command     string      `db:"command,once"`
	Status      string      `db:"status"`
	Progress    string      `db:"progress"`
	Result      string      `db:"result"`
	Error       string      `db:"error"`
	Deadline    sqldb.Stamp `db:"deadline"`
	CreatedAt   sqldb.Stamp `db:"created_at,once"`
	UpdatedAt   sqldb.Stamp `db:"updated_at"`
	EndedAt     sqldb.Stamp `db:"ended_at"`
	Attempts    int         `db:"attempts"`
	RemoteID    string      `db:"remote_id"`
	PollMillis  int64       `db:"poll_ms"`
	Owed        string      `db:"owed"`
	Tries       int         `db:"tries"`
	DueAt       sqldb.Stamp `db:"due_at"`
	Seen        string      `db:"seen"`
	Late        string      `db:"late"`
	Question    string      `db:"question"`
	Version     int64       `db:"version"`
}

var taskTable = sqldb.NewTable[taskRow]("tasks")

// TaskIsOpen is the condition of the partial index of unfinished tasks.
const TaskIsOpen = "(status = 'pending' OR status = 'running' OR status = 'unknown')"

func taskRowOf(t *domain.Task) (taskRow, error) {
	var err error
	row := taskRow{
		WorkspaceID: t.WorkspaceID, ID: t.ID, SessionID: t.SessionID, ExecutionID: t.ExecutionID, ConnectorID: t.ConnectorID,
		Command: t.Command, Status: string(t.Status), Progress: sqldb.JSONOf(&t.Progress, &err), Result: string(t.Result), Error: t.Error,
		Deadline: sqldb.At(t.Deadline), CreatedAt: sqldb.At(t.CreatedAt), UpdatedAt: sqldb.At(t.UpdatedAt), EndedAt: sqldb.AtPtr(t.EndedAt),
		Attempts: t.Attempts, RemoteID: t.RemoteID, PollMillis: t.Poll.Milliseconds(), Owed: t.Owed, Tries: t.Tries,
		DueAt: sqldb.AtPtr(t.DueAt), Seen: sqldb.JSONOf(&t.Seen, &err), Late: sqldb.JSONOf(t.Late, &err),
		Question: sqldb.JSONOf(t.Question, &err), Version: t.Version + 1,
	}
	if err != nil {
		return row, fmt.Errorf("write task %s: %w", t.ID, err)
	}
	return row, nil
}

func (r *taskRow) task() (*domain.Task, error) {
	t := &domain.Task{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, ExecutionID: r.ExecutionID, ConnectorID: r.ConnectorID,
		Command: r.Command, Status: domain.TaskStatus(r.Status), Result: sqldb.RawJSON(r.Result), Error: r.Error,
		Deadline: r.Deadline.Time, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, EndedAt: r.EndedAt.Ptr(),
		Attempts: r.Attempts, RemoteID: r.RemoteID, Poll: time.Duration(r.PollMillis) * time.Millisecond,
		Owed: r.Owed, Tries: r.Tries, DueAt: r.DueAt.Ptr(), Version: r.Version,
	}
	progress, err := sqldb.DecodeJSON[domain.TaskProgress](r.Progress)
	if err != nil {
		return nil, fmt.Errorf("read task %s: %w", r.ID, err)
	}
	seen, err := sqldb.DecodeJSON[[]string](r.Seen)
	if err != nil {
		return nil, fmt.Errorf("read task %s: %w", r.ID, err)
	}
	t.Progress, t.Seen = *progress, *seen
	if t.Question, err = sqldb.DecodeJSON[domain.TaskQuestion](r.Question); err != nil {
		return nil, fmt.Errorf("read task %s: %w", r.ID, err)
	}
	if t.Late, err = sqldb.DecodeJSON[domain.LateReport](r.Late); err != nil {
		return nil, fmt.Errorf("read task %s: %w", r.ID, err)
	}
	return t, nil
}

// Task returns one task of a workspace.
func (s *TaskStore) Task(ctx context.Context, workspace, id string) (*domain.Task, error) {
	return s.oneTask(ctx, "SELECT "+taskTable.Columns()+" FROM tasks WHERE workspace_id = $1 AND id = $2", workspace, id)
}

// TaskOfCallback finds the task that a callback names, in any workspace. The caller verifies the
// signature.
func (s *TaskStore) TaskOfCallback(ctx context.Context, id string) (*domain.Task, error) {
	return s.oneTask(ctx, "SELECT "+taskTable.Columns()+" FROM tasks WHERE id = $1", id)
}

func (s *TaskStore) oneTask(ctx context.Context, query string, args ...any) (*domain.Task, error) {
	var row taskRow
	err := s.db.Get(ctx, &row, query, args...)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("task")
	}
	if err != nil {
		return nil, fmt.Errorf("read the task: %w", err)
	}
	return row.task()
}

// Tasks lists a workspace's tasks, newest first. The second result is the cursor of the
// next page, "" at the end.
func (s *TaskStore) Tasks(ctx context.Context, workspace string, f domain.TaskFilter) ([]*domain.Task, string, error) {
	before, err := sqldb.ReadCursor(f.Cursor, domain.PrefixTask)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+taskTable.Columns()+" FROM tasks WHERE workspace_id = ?", workspace)
	if f.SessionID != "" {
		q.Add(" AND session_id = ?", f.SessionID)
	}
	if f.Status != "" {
		q.Add(" AND status = ?", string(f.Status))
	}
	if f.Cursor != "" {
		q.Add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, f.Limit, func(r *taskRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the tasks: %w", err)
	}
	all, err := transaction.Each(rows, (*taskRow).task)
	return all, next, err
}

// OpenTasks lists the unfinished tasks of a session, oldest first.
func OpenTasks(ctx context.Context, r sqldb.Reader, workspace, session string) ([]*domain.Task, error) {
	var rows []taskRow
	err := r.All(ctx, &rows, "SELECT "+taskTable.Columns()+" FROM tasks "+
		"WHERE workspace_id = $1 AND session_id = $2 AND "+TaskIsOpen+" ORDER BY created_at, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the open tasks: %w", err)
	}
	return transaction.Each(rows, (*taskRow).task)
}

// TaskFigures counts the unfinished tasks of all workspaces by status.
func (s *TaskStore) TaskFigures(ctx context.Context) (map[domain.TaskStatus]int64, error) {
	var rows []struct {
		Status string `db:"status"`
		Count  int64  `db:"n"`
	}
	err := s.db.All(ctx, &rows, "SELECT status, COUNT(*) AS n FROM tasks WHERE "+TaskIsOpen+" GROUP BY status")
	if err != nil {
		return nil, fmt.Errorf("count the tasks: %w", err)
	}
	figures := map[domain.TaskStatus]int64{}
	for _, r := range rows {
		figures[domain.TaskStatus(r.Status)] = r.Count
	}
	return figures, nil
}

// ClaimTask postpones the next poll of a task for the process that is about to poll it. It returns
// domain.ErrStale if another process was faster. It writes no event.
func (s *TaskStore) ClaimTask(ctx context.Context, t *domain.Task, until time.Time) error {
	return s.setDue(ctx, t, t.Owed, t.Tries, &until)
}

// OweTask records how many tries were made to notify the service of a finished task, and when the
// next one is due; nil means never. Without a next try, the task of a deleted session is deleted.
func (s *TaskStore) OweTask(ctx context.Context, t *domain.Task, tries int, next *time.Time) error {
	if next != nil {
		return s.setDue(ctx, t, t.Owed, tries, next)
	}
	if err := s.setDue(ctx, t, "", tries, nil); err != nil {
		return err
	}
	err := s.db.WriteUnseen(ctx, t.WorkspaceID, func(x *transaction.Tx) error {
		_, err := x.Write(ctx, "DELETE FROM tasks WHERE workspace_id = $1 AND id = $2 AND NOT EXISTS "+
			"(SELECT 1 FROM sessions s WHERE s.workspace_id = $1 AND s.id = tasks.session_id)", t.WorkspaceID, t.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete task %s of a deleted session: %w", t.ID, err)
	}
	return nil
}

func (s *TaskStore) setDue(ctx context.Context, t *domain.Task, owed string, tries int, due *time.Time) error {
	err := s.db.Write(ctx, t.WorkspaceID, func(x *transaction.Tx) error {
		return x.WriteOne(ctx, domain.ErrStale, "UPDATE tasks SET owed = $4, tries = $5, due_at = $6, version = version + 1 "+
			"WHERE workspace_id = $1 AND id = $2 AND version = $3", t.WorkspaceID, t.ID, t.Version, owed, tries, sqldb.AtPtr(due))
	})
	if err != nil {
		return fmt.Errorf("note when task %s is due: %w", t.ID, err)
	}
	t.Version, t.Owed, t.Tries, t.DueAt = t.Version+1, owed, tries, due
	return nil
}

// DeleteTasksOf deletes the tasks of a deleted session, except those whose service must still be
// notified: OweTask deletes these afterwards.
func DeleteTasksOf(ctx context.Context, t *transaction.Tx, s *domain.Session) error {
	_, err := t.Write(ctx, "DELETE FROM tasks WHERE workspace_id = $1 AND session_id = $2 AND due_at IS NULL", s.WorkspaceID, s.ID)
	if err != nil {
		return fmt.Errorf("delete the tasks of session %s: %w", s.ID, err)
	}
	return nil
}

// taskUpsert inserts or updates by id, provided the version is still the one that was read.
var taskUpsert = taskTable.Upsert("tasks.session_id = excluded.session_id AND tasks.version = excluded.version - 1")

func WriteTasks(ctx context.Context, t *transaction.Tx, tasks []*domain.Task) error {
	tasks = transaction.Distinct(tasks, func(x *domain.Task) string { return x.ID })
	rows, err := transaction.RowsOf(tasks, taskRowOf)
	if err != nil {
		return err
	}
	n, err := t.Insert(ctx, taskTable.Rows(rows...), taskUpsert)
	if err != nil {
		return fmt.Errorf("write tasks: %w", err)
	}
	if n != int64(len(tasks)) {
		return fmt.Errorf("write tasks: one has changed since: %w", domain.ErrStale)
	}
	for _, x := range tasks {
		x.Version++
		t.OnFailure(func() { x.Version-- })
	}
	return nil
}
