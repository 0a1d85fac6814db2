package domain

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

var taskNoon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func someTask(status TaskStatus) *Task {
	return &Task{ID: "tsk_1", Status: status, Deadline: taskNoon.Add(time.Hour), UpdatedAt: taskNoon.Add(-time.Minute), Seen: []string{"seen"}}
}

// TestReportsOfTasks: what each report is to a task in each state.
func TestReportsOfTasks(t *testing.T) {
	late := someTask(TaskExpired)
	late.Late = &LateReport{Status: TaskSucceeded}
	seen := someTask(TaskExpired)
	film, done := json.RawMessage(`1`), someTask(TaskSucceeded)
	done.Result = film
	recent := someTask(TaskRunning)
	recent.UpdatedAt = taskNoon.Add(-time.Second / 2)
	for name, c := range map[string]struct {
		task   *Task
		report TaskReport
		news   News
		status TaskStatus
	}{
		"it begins":                        {someTask(TaskPending), TaskReport{ID: "a", Status: TaskRunning}, NewsProgress, TaskRunning},
		"it is running":                    {someTask(TaskRunning), TaskReport{ID: "a", Status: TaskRunning}, NewsProgress, TaskRunning},
		"progress too often":               {recent, TaskReport{ID: "a", Status: TaskRunning}, NewsTooSoon, TaskRunning},
		"it ends fast":                     {recent, TaskReport{ID: "a", Status: TaskFailed}, NewsEnd, TaskFailed},
		"it ends before it is known":       {someTask(TaskPending), TaskReport{ID: "a", Status: TaskSucceeded}, NewsEnd, TaskSucceeded},
		"it ends after an unknown outcome": {someTask(TaskUnknown), TaskReport{ID: "a", Status: TaskSucceeded}, NewsEnd, TaskSucceeded},
		"the message came before":          {someTask(TaskRunning), TaskReport{ID: "seen", Status: TaskFailed}, NewsRepeated, TaskRunning},
		"the same end again":               {someTask(TaskSucceeded), TaskReport{ID: "a", Status: TaskSucceeded}, NewsRepeated, TaskSucceeded},
		"the same end with a result":       {someTask(TaskSucceeded), TaskReport{ID: "a", Status: TaskSucceeded, Result: film}, NewsResult, TaskSucceeded},
		"the same end, another result":     {done, TaskReport{ID: "a", Status: TaskSucceeded, Result: json.RawMessage(`2`)}, NewsRepeated, TaskSucceeded},
		"another end":                      {someTask(TaskSucceeded), TaskReport{ID: "a", Status: TaskFailed}, NewsLate, TaskSucceeded},
		"an end after it was cancelled":    {someTask(TaskCancelled), TaskReport{ID: "a", Status: TaskSucceeded}, NewsLate, TaskCancelled},
		"the late message again":           {seen, TaskReport{ID: "seen", Status: TaskSucceeded}, NewsAfter, TaskExpired},
		"the same late end again":          {late, TaskReport{ID: "a", Status: TaskSucceeded}, NewsAfter, TaskExpired},
		"progress after it was cancelled":  {someTask(TaskCancelled), TaskReport{ID: "a", Status: TaskRunning}, NewsAfter, TaskCancelled},
	} {
		before, _ := json.Marshal(c.task)
		next, news := c.task.Report(c.report, taskNoon)
		if after, _ := json.Marshal(c.task); string(before) != string(after) {
			t.Errorf("%s: the task itself was changed", name)
		}
		if news != c.news || next.Status != c.status {
			t.Errorf("%s: news %d, %s; want %d, %s", name, news, next.Status, c.news, c.status)
		}
		if written := news == NewsProgress || news == NewsEnd || news == NewsLate || news == NewsResult; written != slices.Contains(next.Seen, "a") {
			t.Errorf("%s: seen %v", name, next.Seen)
		}
		if over := next.Status.Over(); over != (next.DueAt == nil) && news == NewsEnd {
			t.Errorf("%s: due at %v", name, next.DueAt)
		}
	}
}

// TestLateReportsAreKept beside what the task came to.
func TestLateReportsAreKept(t *testing.T) {
	task := someTask(TaskExpired)
	next, _ := task.Report(TaskReport{ID: "a", Status: TaskSucceeded, Result: json.RawMessage(`{"a":1}`)}, taskNoon)
	want := LateReport{Status: TaskSucceeded, Result: json.RawMessage(`{"a":1}`), At: taskNoon}
	if next.Late == nil || fmt.Sprint(*next.Late) != fmt.Sprint(want) || next.Result != nil {
		t.Errorf("kept: %+v, the result %s", next.Late, next.Result)
	}
}

// TestProgressIsMerged: what a report leaves out stays, and the ids of reports are bounded.
func TestProgressIsMerged(t *testing.T) {
	task, half := someTask(TaskRunning), 50.0
	for i, p := range []*TaskProgress{{Percent: &half, Text: "half"}, {Text: "a little more"}, nil} {
		next, news := task.Report(TaskReport{ID: fmt.Sprint(i), Status: TaskRunning, Progress: p}, taskNoon.Add(time.Duration(i)*time.Minute))
		if news != NewsProgress {
			t.Fatalf("report %d: news %d", i, news)
		}
		task = next
	}
	if *task.Progress.Percent != 50 || task.Progress.Text != "a little more" {
		t.Errorf("progress: %v %q", *task.Progress.Percent, task.Progress.Text)
	}
	for i := range 3 * maxSeen {
		task, _ = task.Report(TaskReport{ID: fmt.Sprint("later", i), Status: TaskRunning}, taskNoon.Add(time.Duration(i)*time.Hour))
	}
	if len(task.Seen) != maxSeen || task.Seen[maxSeen-1] != fmt.Sprint("later", 3*maxSeen-1) {
		t.Errorf("seen: %v", task.Seen)
	}
}

// TestWhenATaskIsDue in each state.
func TestWhenATaskIsDue(t *testing.T) {
	due := func(change func(*Task)) string {
		task := someTask(TaskPending)
		change(task)
		if task.SetDue(taskNoon); task.DueAt == nil {
			return "never"
		}
		return task.DueAt.Sub(taskNoon).String()
	}
	for want, change := range map[string]func(*Task){
		"1h0m0s": func(*Task) {},
		"30s":    func(t *Task) { t.Poll = 30 * time.Second },
		"0s":     func(t *Task) { t.Status, t.Owed = TaskCancelled, OwedCancelled },
		"never":  func(t *Task) { t.Status = TaskSucceeded },
	} {
		if got := due(change); got != want {
			t.Errorf("due in %s, want %s", got, want)
		}
	}
	if got := due(func(t *Task) { t.Poll = 2 * time.Hour }); got != "1h0m0s" {
		t.Errorf("a question after the deadline: due in %s", got)
	}
	if got := due(func(t *Task) { t.Status = TaskUnknown }); got != "never" {
		t.Errorf("one that a person decides about: due in %s", got)
	}
}
