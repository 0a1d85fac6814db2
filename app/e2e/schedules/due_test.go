package schedules

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// An occurrence comes due while an idle chat holds the slot. It runs as soon as the chat counts as inactive,
// even without any other event, and even if the person sent a message after it came due.
func TestWhatIsDueRunsWhenTheChatCountsAsInactive(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Now()) // migrated outside of the bubble
		v.settings(`{"chat_eviction_after":"4s"}`)
		v.ok(v.store.Close())
		synctest.Test(t, func(t *testing.T) {
			v := reopened(t, db)
			order := v.order("daily", &automation.Schedule{Type: "interval", Expression: "24h", TimeZone: "UTC"})
			chat := v.chat()
			time.Sleep(24*time.Hour - time.Second)
			v.speaks(chat)
			time.Sleep(3 * time.Second)
			if got := v.states(order); len(got) != 1 || v.holder().ID != chat.ID {
				t.Fatalf("two seconds after it came due: %v", got)
			}
			v.speaks(chat)
			inactive := time.Now().Add(4 * time.Second)
			time.Sleep(time.Hour)
			synctest.Wait()
			o := v.occurrences(order)[0]
			if o.State != automation.OccurrenceFired || !o.RecordedAt.Equal(inactive.Truncate(time.Microsecond)) {
				t.Errorf("it is %s at %s, want FIRED at %s", o.State, o.RecordedAt, inactive)
			}
		})
	})
}

// reopened is a scheduler that runs by the clock of the bubble.
func reopened(t *testing.T, db app.Database) *virtual {
	v := newVirtual(t, db, time.Time{})
	v.ok(v.loop.Start(t.Context()))
	t.Cleanup(func() { _ = v.loop.Stop(context.Background()) })
	return v
}

// speaks brings a message to a chat and lets its round end.
func (v *virtual) speaks(chat *domain.Session) {
	v.t.Helper()
	v.say(chat)
	_, err := v.sessions.InterruptSession(v.t.Context(), chat.WorkspaceID, chat.ID, domain.Author{ID: "test"})
	v.ok(err)
}
