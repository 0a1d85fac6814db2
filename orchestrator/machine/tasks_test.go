package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestAPersonsWordEndsATask verifies that once a person has settled a task whose start had an unknown outcome, a
// later report of its service does not become a second result of the same execution.
func TestAPersonsWordEndsATask(t *testing.T) {
	for name, c := range map[string]struct {
		said   domain.ExecutionStatus
		status domain.TaskStatus
		owed   string
	}{
		"it happened":  {domain.ExecSuccess, domain.TaskSucceeded, ""},
		"it did not":   {domain.ExecFailed, domain.TaskFailed, ""},
		"run it again": {domain.ExecUnknown, domain.TaskCancelled, domain.OwedCancelled},
	} {
		w := newWorld(t, domain.Chat)
		x := &domain.Execution{ID: "exe_1", WorkspaceID: w.s.WorkspaceID, SessionID: w.s.ID, Command: "FILM.RENDER", Status: c.said}
		other := &domain.Task{ID: "tsk_2", SessionID: w.s.ID, ExecutionID: "exe_2", Status: domain.TaskUnknown}
		p := w.policy()
		p.Tasks = []*domain.Task{{ID: "tsk_1", SessionID: w.s.ID, ExecutionID: "exe_1", Status: domain.TaskUnknown}, other}
		step, err := Run(w.s, domain.ExternalResultReceived{
			Result: domain.ResultOf(x, "en"), Execution: x, Answer: &domain.Answer{Decision: domain.Decision{}},
		}, p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		written := step.Change.Tasks
		if len(written) != 1 || written[0].ID != "tsk_1" || written[0].Status != c.status || written[0].Owed != c.owed {
			t.Errorf("%s: written are %+v", name, written)
		}
		if (written[0].DueAt != nil) != (c.owed != "") {
			t.Errorf("%s: due at %v", name, written[0].DueAt)
		}
	}
}
