package commands

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// withFilm adds a long-running command and a task of it that is in progress.
func withFilm(w *world, progress ...string) {
	withShop(w, func(spec *domain.CommandSpec) { spec.Deadline = time.Hour })
	for i, text := range progress {
		half := 50.0
		w.env.Tasks = append(w.env.Tasks, &domain.Task{
			ID: "tsk_" + string(rune('1'+i)), Command: "SHOP.SET", Status: domain.TaskRunning, CreatedAt: noon, Deadline: noon.Add(time.Hour),
			Progress: domain.TaskProgress{Percent: &half, Text: text},
		})
	}
}

// TestTasksAreListed verifies that tasks are listed with their progress, which is external
// content. Without tasks the answer has none, and does not restrict the round.
func TestTasksAreListed(t *testing.T) {
	for name, c := range map[string]struct {
		progress []string
		outside  bool
		text     string
	}{
		"none":           {nil, false, "0 tasks go on."},
		"without a word": {[]string{"", ""}, false, "2 tasks go on."},
		"with words":     {[]string{"", "frame 40"}, true, "frame 40"},
	} {
		w := newWorld(t)
		withFilm(w, c.progress...)
		x := w.query("TASKS", `{}`)
		if x.Status != domain.ExecSuccess || !strings.Contains(x.Text, c.text) {
			t.Errorf("%s: %s %q", name, x.Status, x.Text)
		}
		if from := x.Provenance(); (from != nil) != c.outside || from != nil && from.Origin != domain.OriginTask {
			t.Errorf("%s: it comes from %v", name, from)
		}
		if strings.Count(x.Text, `"percent":50`) != len(c.progress) {
			t.Errorf("%s: %s", name, x.Text)
		}
	}
}

// TestTasksAreLookedAfter only where there may be some.
func TestTasksAreLookedAfter(t *testing.T) {
	offered := func(w *world) (both int) {
		for _, spec := range w.c.SpecsIn(&w.env) {
			if spec.Name == listTasks || spec.Name == cancelTask {
				both++
			}
		}
		return both
	}
	w := newWorld(t)
	withShop(w)
	if n := offered(w); n != 0 {
		t.Errorf("without work that takes long, %d are offered", n)
	}
	w = newWorld(t)
	withFilm(w)
	if n := offered(w); n != 2 {
		t.Errorf("with work that takes long, %d are offered", n)
	}
}

// TestATaskIsCancelled verifies that a running task of this session can be cancelled. Cancelling is not an action:
// it needs no approval, and in every protocol it is allowed beside actions and their failures.
func TestATaskIsCancelled(t *testing.T) {
	w := newWorld(t)
	withFilm(w, "")
	w.env.Settings.RequireValidation, w.env.SessionRequiresValidation = true, true
	var asked []string
	run := func(calls ...domain.Command) []*domain.Execution {
		plan := w.plan(calls...)
		if plan.Problem != "" || len(plan.Commands.Queries) != 1 {
			t.Fatalf("%q, %+v", plan.Problem, plan.Commands)
		}
		if reasons := levels(plan.Commands.Reasons); (reasons != "") != (len(plan.Commands.Actions) > 0) {
			t.Errorf("asked for %q", reasons)
		}
		asked = append(asked, w.c.RunQueries(t.Context(), w.data, nil, w.env, plan.Commands.Queries).CancelTasks...)
		return plan.Commands.Queries
	}
	x := run(w.command("CANCEL_TASK", `{"task_id":"tsk_1"}`))[0]
	if x.Status != domain.ExecSuccess || strings.Join(asked, " ") != "tsk_1" || string(x.Result) != `{"task_id":"tsk_1"}` || x.Kind != domain.KindQuery {
		t.Errorf("%s %s %s, asked for %v", x.Status, x.Kind, x.Result, asked)
	}
	if x.Provenance() != nil {
		t.Errorf("it comes from %v", x.Provenance())
	}
	if x := run(w.command("CANCEL_TASK", `{"task_id":"tsk_9"}`))[0]; x.Status != domain.ExecFailed || !strings.Contains(x.Error.Message, "tsk_9") || len(asked) != 1 {
		t.Errorf("one that is not there: %s %v, asked for %v", x.Status, x.Error, asked)
	}
	run(w.command("CREATE_ZONE", `{"name":"a"}`), w.command("CANCEL_TASK", `{"task_id":"tsk_1"}`))
	for _, spec := range w.c.Specs() {
		if spec.Name == "CANCEL_TASK" && (spec.Kind != domain.KindControl || strings.Contains(string(spec.Params), "repeat")) {
			t.Errorf("it is offered as %s with %s", spec.Kind, spec.Params)
		}
	}
}

// What looks after tasks is refused, not run, where it is not offered.
func TestWhatLooksAfterTasksRunsOnlyWhereItIsOffered(t *testing.T) {
	long := domain.CommandSpec{Name: "LPT.RUN", Kind: domain.KindAction, Source: "long_running", Deadline: time.Hour}
	for name, c := range map[string]struct {
		kind    domain.SessionType
		outside []domain.CommandSpec
		tasks   []*domain.Task
		offered bool
	}{
		"an agent":                        {domain.Agent, []domain.CommandSpec{long}, []*domain.Task{{ID: "tsk_1"}}, false},
		"nothing can take long":           {domain.Chat, nil, nil, false},
		"a connector that may":            {domain.Chat, []domain.CommandSpec{long}, nil, true},
		"its connector is gone meanwhile": {domain.Chat, nil, []*domain.Task{{ID: "tsk_1"}}, true},
	} {
		w := newWorld(t)
		w.env.SessionType, w.env.Outside, w.env.Tasks = c.kind, c.outside, c.tasks
		w.env.Restricted, w.env.Only = c.kind == domain.Agent, []string{"TASKS", "CANCEL_TASK", "LPT.RUN"}
		for _, command := range []string{"TASKS", "CANCEL_TASK"} {
			plan := w.plan(w.command(command, `{"task_id":"tsk_1"}`))
			refused := len(plan.Commands.Queries)+len(plan.Commands.Actions) == 0
			for _, x := range append(plan.Commands.Queries, plan.Commands.Actions...) {
				refused = refused || x.Status == domain.ExecFailed && x.Error.Code == codeUnknown
			}
			if refused == c.offered {
				t.Errorf("%s: %s is refused: %v", name, command, refused)
			}
		}
	}
}
