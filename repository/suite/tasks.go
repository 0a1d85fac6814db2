package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// task is work for a session that is not stored yet.
func task(id string, s *domain.Session) *domain.Task {
	t := &domain.Task{
		ID: id, WorkspaceID: s.WorkspaceID, SessionID: s.ID, ExecutionID: "exe_" + id, ConnectorID: "con_1", Command: "RENDER.FILM",
		Status: domain.TaskPending, Deadline: T0.Add(time.Hour), CreatedAt: T0, UpdatedAt: T0, Attempts: 1,
	}
	t.SetDue(T0)
	return t
}

// storeTasks commits tasks with their session.
func (w *world) storeTasks(s *domain.Session, tasks ...*domain.Task) {
	w.Helper()
	w.ok(w.Commit(w.Context(), w.tasksChange(s, tasks...)))
}

func (w *world) tasksChange(s *domain.Session, tasks ...*domain.Task) *domain.Change {
	c := w.change(s)
	c.Tasks = tasks
	for _, t := range tasks {
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogTaskChanged, Task: t})
	}
	return c
}

// tasks: they come back as they were, are found in every way, come due, and are shown to
// decisions as long as they are not over.
func tasks(w *world) {
	ctx := w.Context()
	s := w.stored("renders")
	percent := 12.5
	one, two, asked := task("tsk_a", s), task("tsk_b", s), task("tsk_c", s)
	two.Status, two.Progress = domain.TaskRunning, domain.TaskProgress{Percent: &percent, Text: "frame 12 \u00e9"}
	two.CreatedAt, two.Seen = T0.Add(time.Second), []string{"msg_1", "msg_2"}
	asked.CreatedAt, asked.RemoteID, asked.Poll = T0.Add(2*time.Second), "remote-7", 1500*time.Millisecond
	asked.SetDue(T0)
	work := execution(s, one.ExecutionID, "msg_1", 0, domain.ExecPending)
	c := w.tasksChange(s, one, two, asked)
	c.Executions = []*domain.Execution{work}
	w.ok(w.Commit(ctx, c))
	of, err := w.Records.TaskExecution(ctx, one)
	w.ok(err)
	w.equal(of, work, "the execution of a task")
	_, err = w.Records.TaskExecution(ctx, two)
	w.code(err, domain.CodeNotFound)
	w.equal([]int64{one.Version, two.Version}, []int64{1, 1}, "versions")
	for _, t := range []*domain.Task{one, two, asked} {
		got, err := w.Tasks.Task(ctx, s.WorkspaceID, t.ID)
		w.ok(err)
		w.equal(got, t, "the task")
		got, err = w.Tasks.TaskOfCallback(ctx, t.ID)
		w.ok(err)
		w.equal(got, t, "the task of the callback")
	}
	_, err = w.Tasks.TaskOfCallback(ctx, "tsk_none")
	w.code(err, domain.CodeNotFound)
	w.sound()

	_, err = w.Decide(ctx, s.WorkspaceID, s.ID, nil, checked(w, func(v *domain.View) {
		w.equal(v.Tasks, []*domain.Task{one, two, asked}, "the tasks of the view")
	}))
	w.ok(err)
	figures, err := w.Tasks.TaskFigures(ctx)
	w.ok(err)
	w.equal(figures, map[domain.TaskStatus]int64{domain.TaskPending: 2, domain.TaskRunning: 1}, "figures")

	due, err := w.Slot.DueWork(ctx, T0.Add(time.Second), 100, false)
	w.ok(err)
	w.equal([]any{due.Tasks, due.Next}, []any{[]domain.TaskRef(nil), T0.Add(1500 * time.Millisecond)}, "nothing is due")
	due, err = w.Slot.DueWork(ctx, T0.Add(time.Minute), 100, false)
	w.ok(err)
	w.equal([]any{due.Tasks, due.Next}, []any{[]domain.TaskRef{{WorkspaceID: s.WorkspaceID, ID: asked.ID}}, T0.Add(time.Hour)}, "a poll is due")

	until := T0.Add(5 * time.Minute)
	again := *asked
	w.ok(w.Tasks.ClaimTask(ctx, asked, until))
	if err := w.Tasks.ClaimTask(ctx, &again, until); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a second claim gave %v", err)
	}
	got, err := w.Tasks.Task(ctx, s.WorkspaceID, asked.ID)
	w.ok(err)
	w.equal(got, asked, "the claimed task")

	w.listed(s, []*domain.Task{asked, two, one})
	one.Result = json.RawMessage(`{"film":"1.mp4", "b":1}`)
	one.Finish(domain.TaskSucceeded, "", "", T0.Add(time.Minute))
	one.Late = &domain.LateReport{Status: domain.TaskFailed, Error: "too late", At: T0.Add(2 * time.Minute)}
	two.Finish(domain.TaskCancelled, "A person cancelled it.", domain.OwedCancelled, T0.Add(time.Minute))
	w.storeTasks(s, one, two)
	got, err = w.Tasks.Task(ctx, s.WorkspaceID, one.ID)
	w.ok(err)
	w.equal(got, one, "a task that is over")
	_, err = w.Decide(ctx, s.WorkspaceID, s.ID, nil, checked(w, func(v *domain.View) { w.equal(v.Tasks, []*domain.Task{asked}, "running tasks") }))
	w.ok(err)

	next := T0.Add(3 * time.Minute)
	w.ok(w.Tasks.OweTask(ctx, two, 1, &next))
	w.ok(w.Tasks.OweTask(ctx, two, 2, nil))
	got, err = w.Tasks.Task(ctx, s.WorkspaceID, two.ID)
	w.ok(err)
	w.equal([]any{got.Owed, got.Tries, got.DueAt}, []any{"", 2, (*time.Time)(nil)}, "what is owed no more")
	w.sound()
	w.forgotten(s, asked)
}

// listed: pages of one make the whole, and filters choose.
func (w *world) listed(s *domain.Session, want []*domain.Task) {
	w.Helper()
	var got []*domain.Task
	for cursor := ""; ; {
		page, next, err := w.Tasks.Tasks(w.Context(), s.WorkspaceID, domain.TaskFilter{SessionID: s.ID, Cursor: cursor, Limit: 1})
		w.ok(err)
		got = append(got, page...)
		if cursor = next; next == "" {
			break
		}
	}
	w.equal(got, want, "the pages")
	for _, f := range []domain.TaskFilter{{Status: domain.TaskRunning}, {Status: domain.TaskRunning, SessionID: s.ID}} {
		page, _, err := w.Tasks.Tasks(w.Context(), s.WorkspaceID, f)
		w.ok(err)
		w.equal(page, []*domain.Task{want[1]}, fmt.Sprintf("the running ones of %+v", f))
	}
	first, next, err := w.Tasks.Tasks(w.Context(), s.WorkspaceID, domain.TaskFilter{Limit: 2})
	w.ok(err)
	rest, _, err := w.Tasks.Tasks(w.Context(), s.WorkspaceID, domain.TaskFilter{Cursor: next})
	w.ok(err)
	w.equal(append(first, rest...), want, "the pages of the workspace")
	page, _, err := w.Tasks.Tasks(w.Context(), "other", domain.TaskFilter{})
	w.ok(err)
	w.equal(len(page), 0, "tasks of the other workspace")
}

// forgotten: the tasks of a session are deleted with it, except a task whose service has yet to be notified.
func (w *world) forgotten(s *domain.Session, owing *domain.Task) {
	ctx := w.Context()
	owing.Finish(domain.TaskCancelled, "", domain.OwedEnded, T0.Add(time.Minute))
	c := w.tasksChange(s, owing)
	c.Sessions[0].Delete = true
	w.ok(w.Commit(ctx, c))
	all, _, err := w.Tasks.Tasks(ctx, s.WorkspaceID, domain.TaskFilter{})
	w.ok(err)
	w.equal(all, []*domain.Task{owing}, "what is left of a deleted session")
	w.ok(w.Tasks.OweTask(ctx, owing, 1, nil))
	_, err = w.Tasks.Task(ctx, s.WorkspaceID, owing.ID)
	w.code(err, domain.CodeNotFound)
	w.sound()
}

// taskVersions: of two who saw the same task one writes, and what the other wrote with it
// is not there.
func taskVersions(w *world) {
	s := w.stored("renders")
	first := task("tsk_a", s)
	w.storeTasks(s, first)
	mine, theirs := first.Clone(), first.Clone()
	mine.Status = domain.TaskRunning
	w.storeTasks(s, mine)
	theirs.Finish(domain.TaskExpired, "Its time was over.", "", T0)
	c := w.tasksChange(s, theirs)
	w.say(c, s, domain.SenderSystem, "expired")
	if err := w.Commit(w.Context(), c); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("the second write gave %v", err)
	}
	w.equal(theirs.Version, int64(1), "the version after a write that failed")
	got, err := w.Tasks.Task(w.Context(), s.WorkspaceID, first.ID)
	w.ok(err)
	w.equal(got, mine, "the task")
	w.sound()
}
