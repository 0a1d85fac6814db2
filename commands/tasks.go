package commands

import (
	"context"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Names of the commands that look after tasks.
const (
	listTasks  = "TASKS"
	cancelTask = "CANCEL_TASK"
)

type taskParams struct {
	TaskID string `json:"task_id"`
}

// taskRow is a task as the AI reads it.
type taskRow struct {
	ID       string   `json:"id"`
	Command  string   `json:"command"`
	Status   string   `json:"status"`
	Percent  *float64 `json:"percent,omitempty"`
	Progress string   `json:"progress,omitempty"`
	Since    string   `json:"since"`
	Deadline string   `json:"deadline"`
}

func taskQueries() []*command {
	return []*command{newQuery(
		listTasks,
		domain.RoleViewer,
		"List this session's work at other services and how far it is; results come by themselves, do not wait for them with this.",
		``,
		func(_ context.Context, c *call, _ noParams) domain.Text {
			return domain.Say("Look at the tasks that go on", "Regarder les tâches en cours")
		},
		func(_ context.Context, c *call, _ noParams) (answer, error) {
			// Only their progress is in a service's words.
			said := slices.ContainsFunc(c.env.Tasks, func(t *domain.Task) bool { return t.Progress.Text != "" })
			a := answer{unsaid: !said, head: domain.Plural(len(c.env.Tasks), "task goes on", "tasks go on") + ".", key: "tasks",
				count: domain.Count(len(c.env.Tasks), "task", "tasks", "tâche", "tâches")}
			for _, t := range c.env.Tasks {
				a.rows = append(a.rows, jsonbody.Encode(taskRow{
					ID: t.ID, Command: t.Command, Status: string(t.Status), Percent: t.Progress.Percent, Progress: t.Progress.Text,
					Since: t.CreatedAt.UTC().Format(time.RFC3339), Deadline: t.Deadline.UTC().Format(time.RFC3339),
				}))
			}
			return a, nil
		},
	)}
}

// taskControls control running work: they need no approval, and a failure beside them does not stop them.
// They run among the queries of an answer.
func taskControls() []*command {
	end := newQuery(
		cancelTask,
		domain.RoleMember,
		"Cancel this session's work at another service; its end is reported by itself.",
		`"task_id": {"type": "string", "minLength": 1, "maxLength": 64}`,
		func(_ context.Context, c *call, p taskParams) domain.Text {
			t, err := c.openTask(p.TaskID)
			if err != nil {
				return domain.Say("Cancel a task", "Annuler une tâche")
			}
			return domain.Say("Cancel the task of %s", "Annuler la tâche de %s", t.Command)
		},
		func(_ context.Context, c *call, p taskParams) (answer, error) {
			t, err := c.openTask(p.TaskID)
			if err != nil {
				return answer{}, err
			}
			return answer{
				head: "It is being cancelled; you are told when it has ended.", body: jsonbody.Encode(taskParams{t.ID}), cancels: t.ID,
			}, nil
		},
	).require("task_id")
	end.spec.Kind, end.spec.Effect = domain.KindControl, domain.EffectIdempotent
	return []*command{end}
}

// beginsTasks reports whether one of the external commands is long-running: only then the session is
// offered the commands for tasks.
func beginsTasks(specs []domain.CommandSpec) bool {
	return slices.ContainsFunc(specs, func(s domain.CommandSpec) bool {
		return s.Deadline > 0 || s.Source == string(outside.ConnectorMCP)
	})
}

// openTask is a running task of the session.
func (c *call) openTask(id string) (*domain.Task, error) {
	i := slices.IndexFunc(c.env.Tasks, func(t *domain.Task) bool { return t.ID == id })
	if i < 0 {
		return nil, domain.Invalid("/task_id", "unknown_task",
			"No task %s goes on for this session: it has ended, or there never was one.", jsonbody.Quote(id))
	}
	return c.env.Tasks[i], nil
}
