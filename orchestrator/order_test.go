package orchestrator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// TestWhoComesLateDoesNotCutTheDriverOfALaterClaim verifies that two requests may reach the loop in an order other
// than that of their commits: the late one must not stop the driver of the later claim, or the session would have
// no driver.
func TestWhoComesLateDoesNotCutTheDriverOfALaterClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		answer := make(chan struct{})
		w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
			select {
			case <-answer:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Hello.", StopReason: "stop"}}, nil
		})
		w.say("hi")
		synctest.Wait()
		w.mu.Lock()
		late := w.view()
		w.mu.Unlock()
		now := late.Session.RunEpoch
		late.Session.RunEpoch--
		w.loop.Drive(late, domain.DoCallAI)
		w.loop.Cut(late.Session.ID, now, ErrInterrupted) // said by a commit before this claim
		close(answer)
		w.rest()
		wantSaid(t, w, "USER:hi", "AI:Hello.")
		if len(w.model.asked) != 1 {
			t.Errorf("the AI was called %d times, want once", len(w.model.asked))
		}
	})
}

func TestACutOfALaterCommitReachesTheDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		w.say("hi")
		synctest.Wait()
		w.loop.Cut("ses_1", w.session.RunEpoch+1, ErrStopped)
		w.rest()
		wantSaid(t, w, "USER:hi")
	})
}

// The database goes away just when the prompt, or the plan, must be read from it. The
// work waits for it; what was paid for is not asked for again.
func TestTheWorkWaitsForADatabaseThatIsAway(t *testing.T) {
	for _, read := range []string{"the history", "the recent commands"} {
		t.Run(read, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				away := &awayFor{world: w, times: 3, read: read}
				w.loop.cfg.Store = away
				w.model.calls("ZONES", "{}")
				w.model.text("None.")
				w.say("which zones?")
				w.rest()
				wantSaid(t, w, "USER:which zones?", "AI:", "DATA_ADDED", "AI:None.")
				if len(w.model.asked) != 2 || away.times != 0 {
					t.Errorf("the AI was called %d times, want 2; %d failures are left", len(w.model.asked), away.times)
				}
			})
		})
	}
}

// awayFor fails the first reads of one kind.
type awayFor struct {
	*world
	times int
	read  string
}

func (a *awayFor) away(read string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if read != a.read || a.times == 0 {
		return nil
	}
	a.times--
	return domain.Errorf(domain.CodeUnavailable, "no database")
}

func (a *awayFor) Record(ctx context.Context, session *domain.Session) ([]*domain.Message, error) {
	if err := a.away("the history"); err != nil {
		return nil, err
	}
	return a.world.Record(ctx, session)
}

func (a *awayFor) RecentExecutions(ctx context.Context, workspace, session string, since time.Time) ([]*domain.Execution, error) {
	if err := a.away("the recent commands"); err != nil {
		return nil, err
	}
	return a.world.RecentExecutions(ctx, workspace, session, since)
}
