package domain

import (
	"encoding/json"
	"slices"
	"time"
)

// TaskStatus is the state of work at another service.
type TaskStatus string

const (
	TaskPending   TaskStatus = "pending"   // stored; the service has not said anything of it
	TaskRunning   TaskStatus = "running"   // the service took it, or reports progress
	TaskSucceeded TaskStatus = "succeeded" // by the service's word
	TaskFailed    TaskStatus = "failed"    // by the service's word, or it never began
	TaskCancelled TaskStatus = "cancelled" // by a person, by the AI, or because its session ended
	TaskExpired   TaskStatus = "expired"   // its deadline passed
	TaskUnknown   TaskStatus = "unknown"   // whether the service received the request is not known
)

// TaskStatuses are all of them.
var TaskStatuses = []TaskStatus{TaskPending, TaskRunning, TaskSucceeded, TaskFailed, TaskCancelled, TaskExpired, TaskUnknown}

// Over reports whether the status is final. A task whose start is uncertain is not over: its service may
// still report.
func (s TaskStatus) Over() bool {
	return s == TaskSucceeded || s == TaskFailed || s == TaskCancelled || s == TaskExpired
}

// Task is work at another service for one execution of a command. It is stored before that service is
// called.
type Task struct {
	ID          string
	WorkspaceID string
	SessionID   string
	ExecutionID string
	ConnectorID string
	Command     string
	Status      TaskStatus
	Progress    TaskProgress
	Result      json.RawMessage // of a task that succeeded
	Error       string          // of one that did not, in words
	Deadline    time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
	EndedAt     *time.Time
	// Attempts counts the requests to begin.
	Attempts int
	// RemoteID is the service's own id of it, and Poll the interval at which it wants to be polled; 0: it
	// uses callbacks.
	RemoteID string
	Poll     time.Duration
	// Owed is why the service must be notified to stop; Tries counts the failed notifications.
	Owed  string
	Tries int
	// DueAt is the next time to act: its deadline, the next poll, or the next notification. nil: never.
	DueAt *time.Time
	// Seen are the ids of the latest reports, newest last: one that comes again is no news.
	Seen []string
	// Question is what its service asks a person in the middle of it; nil: nothing.
	Question *TaskQuestion
	// Late is what the service said after the task was over. It is kept and changes nothing.
	Late *LateReport
	// Version is bumped by every write, and a write is conditional on it.
	Version int64
}

// TaskProgress is how far the work has come. No Percent: unknown.
type TaskProgress struct {
	Percent *float64 `json:"percent,omitempty"`
	Text    string   `json:"text,omitempty"`
}

// TaskQuestion is a question of the service for a person. Its approval blocks nothing: the session and the
// service continue.
type TaskQuestion struct {
	ApprovalID string `json:"approval_id"`
	// Key identifies the question within the task.
	Key string `json:"key"`
	// Answer is the person's answer, until it is delivered to the service; null declines. Empty:
	// unanswered.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// TaskAsks is a question as the service of a task asks it.
type TaskAsks struct {
	Key    string
	Module *Module
	// From is the name of the connector, for people.
	From string
}

// TaskReport is a service's report of its work: TaskRunning, TaskSucceeded or TaskFailed.
type TaskReport struct {
	// ID is that of the message; a repeated one is ignored.
	ID       string
	Status   TaskStatus
	Progress *TaskProgress
	Result   json.RawMessage
	Error    string
	// Question is the service's open question, in the result of a poll.
	Question *TaskAsks
}

// LateReport is a report that came when the task was over.
type LateReport struct {
	Status TaskStatus      `json:"status"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	At     time.Time       `json:"at"`
}

// TaskFilter chooses tasks of a workspace, newest first; empty fields choose all.
type TaskFilter struct {
	SessionID string
	Status    TaskStatus
	Cursor    string
	Limit     int
}

// TaskRef names a task.
type TaskRef struct{ WorkspaceID, ID string }

const (
	// maxSeen bounds the ids of reports that are remembered: a service repeats its latest.
	maxSeen = 20
	// progressEvery is how often the progress of a task is stored at most.
	progressEvery = time.Second
	// askedPoll is the shortest poll interval while a service waits for a person's answer.
	askedPoll = 15 * time.Second
)

// Reasons for notifying a service to stop.
const (
	OwedCancelled = "cancelled"
	OwedExpired   = "expired"
	OwedEnded     = "session_ended"
	// OwedRequested: the AI cancels it. The task is open until the service is notified.
	OwedRequested = "cancel_requested"
)

// Clone is a copy that can be changed.
func (t *Task) Clone() *Task {
	own := *t
	own.Seen = slices.Clone(t.Seen)
	if t.Question != nil {
		question := *t.Question
		own.Question = &question
	}
	return &own
}

// Awake reports whether the task still waits for its service.
func (t *Task) Awake() bool { return !t.Status.Over() }

// SetDue computes when the task must be looked at next.
func (t *Task) SetDue(now time.Time) {
	switch {
	case t.Status.Over() && t.Owed == "":
		t.DueAt = nil
	case t.Status.Over(), t.Owed == OwedRequested:
		t.DueAt = &now
	case t.Status == TaskUnknown: // a person decides, or a report does
		t.DueAt = nil
	case t.Question != nil && len(t.Question.Answer) > 0:
		t.DueAt = &now
	case t.Poll > 0 && now.Add(t.Interval()).Before(t.Deadline):
		next := now.Add(t.Interval())
		t.DueAt = &next
	default:
		deadline := t.Deadline
		t.DueAt = &deadline
	}
}

// Interval is how long its service is left alone between two questions about it.
func (t *Task) Interval() time.Duration {
	if t.Question != nil && len(t.Question.Answer) == 0 {
		return max(t.Poll, askedPoll)
	}
	return t.Poll
}

// AskCancel has the task cancelled as soon as it is looked at.
func (t *Task) AskCancel(now time.Time) {
	t.Owed = OwedRequested
	t.SetDue(now)
}

// Finish ends the task. owed, if set, is the reason the service must be notified with.
func (t *Task) Finish(status TaskStatus, why, owed string, now time.Time) {
	t.Status, t.Error, t.Owed, t.UpdatedAt, t.EndedAt, t.Question = status, why, owed, now, &now, nil
	t.SetDue(now)
}

// News is what a report is to a task.
type News int

const (
	NewsRepeated News = iota // it was said before: nothing is written
	NewsTooSoon              // progress shortly after the last: it is not stored
	NewsProgress             // progress that is stored
	NewsEnd                  // the task is over
	NewsLate                 // the task was over and the service reports a different end
	NewsAfter                // progress of a task that is over
	NewsResult               // the result of a task of which a person said that it was done
)

// Report applies what a service said to a copy of the task, which is written unless there
// is nothing new.
func (t *Task) Report(r TaskReport, now time.Time) (*Task, News) {
	switch {
	case r.ID != "" && slices.Contains(t.Seen, r.ID):
		if t.Status.Over() && r.Status.Over() && t.Status != r.Status {
			return t, NewsAfter // it was refused, and is again
		}
		return t, NewsRepeated
	case t.Status.Over() && t.Status == r.Status:
		return t.withResult(r, now)
	case t.Status.Over() && !r.Status.Over():
		return t, NewsAfter
	case !r.Status.Over() && t.Status == TaskRunning && t.tooSoon(now):
		return t, NewsTooSoon
	}
	next := t.Clone()
	next.note(r.ID)
	switch {
	case t.Status.Over():
		if t.Late != nil && t.Late.Status == r.Status {
			return t, NewsAfter
		}
		next.Late = &LateReport{Status: r.Status, Result: r.Result, Error: r.Error, At: now}
		next.UpdatedAt = now
		return next, NewsLate
	case r.Status.Over():
		next.Progress = merged(next.Progress, r.Progress)
		next.Result = r.Result
		next.Finish(r.Status, r.Error, "", now)
		return next, NewsEnd
	}
	next.Status, next.UpdatedAt = TaskRunning, now
	next.Progress = merged(next.Progress, r.Progress)
	next.SetDue(now)
	return next, NewsProgress
}

// withResult accepts the result that arrives after the end: a person had reported the work as done,
// without a result.
func (t *Task) withResult(r TaskReport, now time.Time) (*Task, News) {
	if len(r.Result) == 0 || len(t.Result) > 0 || t.Status != TaskSucceeded {
		return t, NewsRepeated
	}
	next := t.Clone()
	next.note(r.ID)
	next.Result, next.UpdatedAt = r.Result, now
	return next, NewsResult
}

// tooSoon limits progress reports to one a second.
func (t *Task) tooSoon(now time.Time) bool {
	return len(t.Seen) > 0 && now.Sub(t.UpdatedAt) < progressEvery
}

func (t *Task) note(id string) {
	if id == "" {
		return
	}
	t.Seen = append(t.Seen, id)
	t.Seen = slices.Clone(t.Seen[max(0, len(t.Seen)-maxSeen):])
}

func merged(have TaskProgress, said *TaskProgress) TaskProgress {
	if said == nil {
		return have
	}
	if said.Percent != nil {
		have.Percent = said.Percent
	}
	if said.Text != "" {
		have.Text = said.Text
	}
	return have
}
