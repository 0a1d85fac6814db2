package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// tasksCommand manages tasks of external services.
type tasksCommand struct {
	List   tasksList   `cmd:"" default:"withargs" help:"List the tasks, newest first."`
	Show   tasksShow   `cmd:"" help:"Show a task, with its result."`
	Watch  tasksWatch  `cmd:"" help:"Follow a task until it ends."`
	Cancel tasksCancel `cmd:"" help:"Cancel a task and notify the service that runs it."`
}

type tasksList struct {
	command.ClientFlags `embed:""`
	Session             string `help:"Only the tasks of a session."`
	Status              string `help:"Only tasks with this status." enum:",pending,running,succeeded,failed,cancelled,expired,unknown" default:""`
	Limit               int    `help:"Maximum number of tasks." default:"50"`
}

// Run prints the tasks.
func (c *tasksList) Run(cc *command.Context) error {
	query := url.Values{}
	for name, value := range map[string]string{"session_id": c.Session, "status": c.Status} {
		if value != "" {
			query.Set(name, value)
		}
	}
	head := []string{"ID", "STATUS", "PROGRESS", "DEADLINE", "COMMAND", "SESSION"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/tasks", query, c.Limit, head, func(t *api.Task) []string {
		return []string{t.ID, string(t.Status), progressOf(t), command.ClockTime(t.Deadline), t.Command, t.SessionID}
	})
}

// progressOf is the progress as reported by the service.
func progressOf(t *api.Task) string {
	text := command.Printable(t.Progress.Text)
	if t.Progress.Percent != nil {
		text = fmt.Sprintf("%.0f %% %s", *t.Progress.Percent, text)
	}
	return text
}

type oneTask struct {
	command.ClientFlags `embed:""`
	Task                string `arg:"" help:"The task's id."`
}

func (c *oneTask) call(cc *command.Context, method, rest string) (*api.Task, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, err
	}
	var t api.Task
	if err := client.Call(cc, method, "/v1/tasks/"+url.PathEscape(c.Task)+rest, nil, &t); err != nil {
		return nil, err
	}
	return &t, nil
}

// print prints a task, for people or as JSON.
func (c *oneTask) print(cc *command.Context, t *api.Task) error {
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, t)
	}
	out := command.Screen{Out: cc.Out}
	out.Line("%s  %s  %s", t.ID, t.Status, t.Command)
	if text := progressOf(t); text != "" {
		out.Line("progress: %s", text)
	}
	if t.ApprovalID != nil {
		out.Line("approval: fermata approve %s", *t.ApprovalID)
	}
	if t.Error != nil {
		out.Line("error: %s", command.Printable(*t.Error))
	}
	if len(t.Result) > 0 && string(t.Result) != "null" {
		out.Line("result: %s", command.Printable(string(t.Result)))
	}
	if t.EndedAt == nil {
		out.Line("deadline: %s", command.ClockTime(t.Deadline))
	}
	return nil
}

type tasksShow struct {
	oneTask `embed:""`
}

// Run prints the task.
func (c *tasksShow) Run(cc *command.Context) error {
	t, err := c.call(cc, http.MethodGet, "")
	if err != nil {
		return err
	}
	return c.print(cc, t)
}

type tasksCancel struct {
	oneTask `embed:""`
}

// Run cancels the task.
func (c *tasksCancel) Run(cc *command.Context) error {
	t, err := c.call(cc, http.MethodPost, "/cancel")
	if err != nil {
		return err
	}
	return c.print(cc, t)
}

type tasksWatch struct {
	oneTask `embed:""`
	Every   time.Duration `help:"Polling interval." default:"1s"`
}

// Run prints the task at each change, and fails unless it succeeds.
func (c *tasksWatch) Run(cc *command.Context) error {
	var shown string
	for {
		t, err := c.call(cc, http.MethodGet, "")
		if err != nil {
			return err
		}
		if now := fmt.Sprint(t.Status, progressOf(t), t.ApprovalID != nil); now != shown {
			shown = now
			if err := c.print(cc, t); err != nil {
				return err
			}
		}
		if t.Status.Over() {
			if string(t.Status) != "succeeded" {
				return fmt.Errorf("the task %s", t.Status)
			}
			return nil
		}
		if err := remote.Wait(cc, max(c.Every, 100*time.Millisecond)); err != nil {
			return err
		}
	}
}
