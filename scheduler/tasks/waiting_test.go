package tasks_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/scheduler"
)

// counted counts what the scheduler's loop does.
type counted struct {
	*repository.SlotStore
	scheduler.Automations // there are none
	scheduler.DueStarter

	tasks         scheduler.Tasks
	looks, tasked int
}

func (c *counted) DueWork(ctx context.Context, now time.Time, batch int, sweep bool) (*automation.DueWork, error) {
	c.looks++
	return c.SlotStore.DueWork(ctx, now, batch, sweep)
}

func (c *counted) TaskDue(ctx context.Context, ref domain.TaskRef) error {
	c.tasked++
	return c.tasks.TaskDue(ctx, ref)
}

// idleFor runs the scheduler's loop for a day beside so many tasks whose services call back, and gives
// how often it looked at the database, at a task, and asked a service.
func idleFor(t *testing.T, tasks int) (looks, tasked, asked int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.db")
	w := openWorld(t, path, noon)
	w.ok(w.store.Migrate(t.Context()))
	w.ok(w.store.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: noon}))
	names := make([]string, tasks)
	for i := range names {
		names[i] = fmt.Sprintf("tsk_%d", i)
	}
	w.session(domain.Chat, domain.Idle, names...)
	w.ok(w.store.Close())
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, path, time.Time{}) // years before their deadline
		c := &counted{SlotStore: w.store.Slot, tasks: w.service}
		loop := scheduler.NewLoop(w.door, &scheduler.Queue{Door: w.door, Waiters: w.store.Slot, Due: c}, c, c, c)
		w.ok(loop.Start(t.Context()))
		time.Sleep(24 * time.Hour)
		w.ok(loop.Stop(context.Background()))
		w.mu.Lock()
		defer w.mu.Unlock()
		looks, tasked, asked = c.looks, c.tasked, w.asked+len(w.notified)
		w.ok(w.store.Close())
	})
	return looks, tasked, asked
}

// TestAThousandTasksThatWaitCostNoPolling: in a day of waiting neither the database nor a service is
// asked more often than for none.
func TestAThousandTasksThatWaitCostNoPolling(t *testing.T) {
	without, _, _ := idleFor(t, 0)
	with, tasked, asked := idleFor(t, 1000)
	if with != without || tasked != 0 || asked != 0 {
		t.Errorf("the database is looked at %d times beside 1,000 tasks, %d without; %d looks at a task, %d requests to services", with, without, tasked, asked)
	}
	if without < 200 {
		t.Errorf("in a day the loop looked %d times: it did not run", without)
	}
}
