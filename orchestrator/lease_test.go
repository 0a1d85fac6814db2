package orchestrator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// While the lease could not be renewed no call begins; it does when the lease is back.
// A call that is under way when the lease is over is let go, and nothing is written.
func TestWithoutALeaseNothingBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		asked := func() int {
			synctest.Wait()
			w.model.mu.Lock()
			defer w.model.mu.Unlock()
			return len(w.model.asked)
		}
		w.loop.Leased(time.Time{})
		w.model.text("Hello.")
		w.say("hi")
		time.Sleep(10 * time.Second)
		if n := asked(); n != 0 || !w.loop.Drives("ses_1") {
			t.Fatalf("without a lease the AI was called %d times", n)
		}
		w.loop.Leased(clock.System().Add(15 * time.Second))
		w.rest()
		wantSaid(t, w, "USER:hi", "AI:Hello.")

		w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		w.say("and then?")
		if n := asked(); n != 2 {
			t.Fatalf("%d calls", n)
		}
		commits := w.commits
		w.loop.LetGo()
		w.rest()
		if w.loop.Drives("ses_1") || w.commits != commits || w.session.Phase != domain.CallingAI {
			t.Errorf("after it was let go: %s, %d commits more", w.session.Phase, w.commits-commits)
		}
	})
}
