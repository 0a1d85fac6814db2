package stream

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/suite"
)

func expect(t *testing.T, r *Reader, want ...string) {
	t.Helper()
	if got := drain(t, r); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
		t.Errorf("the listener got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// A listener that comes in the middle of an answer and one that was there from the
// start end up with the same text, and every offset fits.
func TestAnswerIsGatheredAndJoinedInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, log := started(t, Config{}), suite.NewMemoryLog()
		early := b.Reader(log, Filter{Workspace: "w", Session: "s"})
		defer early.Close()
		early.Skip(0)
		expect(t, early)

		b.Delta("w", "s", "m", KindText, "Hé") // the first piece goes out at once
		expect(t, early, `message.delta text@0 "Hé"`)
		b.Delta("w", "s", "m", KindText, "llo, ")
		b.Delta("w", "s", "m", KindText, "wor")
		expect(t, early) // gathered
		late := b.Reader(log, Filter{Workspace: "w", Session: "s"})
		defer late.Close()
		late.Skip(0)
		if texts := late.Texts(); len(texts) != 1 || texts[0] != (Text{"s", "m", KindText, 2, "Hé"}) {
			t.Errorf("in progress: %+v", texts)
		}
		time.Sleep(gather)
		synctest.Wait()
		expect(t, early, `message.delta text@2 "llo, wor"`)
		expect(t, late, `message.snapshot text@2 "Hé"`, `message.delta text@2 "llo, wor"`)
		if m, text := b.Partial("s"); m != "m" || text != "Héllo, wor" {
			t.Errorf("partial is %q %q", m, text)
		}

		// The answer is stored before its last text was sent: that comes first.
		b.Delta("w", "s", "m", KindText, "ld")
		stored := event("s", domain.LogMessageCreated)
		stored.Message = &domain.Message{ID: "m"}
		b.Publish(log.Append(stored))
		b.Settle("s", "m")
		for _, r := range []*Reader{early, late} {
			expect(t, r, `message.delta text@10 "ld"`, "1:message.created")
		}
		if m, _ := b.Partial("s"); m != "" {
			t.Error("a settled answer is still partial")
		}
		if load := b.Load(); load != (Load{Streams: 2, Workspaces: 1}) {
			t.Errorf("load %+v", load)
		}
	})
}

func TestDiscardedAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := started(t, Config{})
		r := b.Reader(suite.NewMemoryLog(), Filter{Workspace: "w", Sessions: []string{"s"}})
		defer r.Close()
		r.Skip(0)
		b.Delta("w", "s", "m", KindThinking, "hm")
		b.Delta("w", "other", "m2", KindText, "not for this listener")
		b.Discard("w", "s", "m", "network")
		b.Discard("w", "s", "m", "network") // twice is once
		expect(t, r, `message.delta thinking@0 "hm"`, "message.discarded")
		b.Delta("w", "s", "m3", KindText, "again")
		expect(t, r, `message.delta text@0 "again"`)
		b.Settle("other", "m2")
		b.Settle("s", "m3")
	})
}

// The text of an answer that a listener was given whole from the log does not follow
// behind it.
func TestNoStaleTextBehindTheMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, log := started(t, Config{}), suite.NewMemoryLog()
		b.Delta("w", "s", "m", KindText, "some")
		r := b.Reader(log, Filter{Workspace: "w", Session: "s"})
		defer r.Close()
		stored := event("s", domain.LogMessageCreated)
		stored.Message = &domain.Message{ID: "m"}
		b.Publish(log.Append(stored))
		r.Skip(0)
		expect(t, r, "1:message.created")
		b.Settle("s", "m")
	})
}

// Who listens before a commit is given what follows it without the log, and what a hint leaves
// out from the log.
func TestBehindACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, log := started(t, Config{}), suite.NewMemoryLog()
		blind := b.Reader(nil, Filter{Workspace: "w", Session: "s"}) // a log that is read is a panic
		defer blind.Close()
		first := log.Append(event("s", domain.LogSessionCreated), event("s", domain.LogMessageCreated))
		blind.Behind(1)
		b.Publish(first)
		expect(t, blind, "2:message.created")
		b.Publish(log.Append(event("other", domain.LogSessionPhase), event("s", domain.LogSessionPhase)))
		expect(t, blind, "4:session.phase")

		r := b.Reader(log, Filter{Workspace: "w", Session: "s"})
		defer r.Close()
		r.Behind(4)
		log.Append(event("s", domain.LogSessionStatus)) // of a commit whose hint is lost
		b.Publish(log.Append(event("s", domain.LogSessionEnded)))
		b.Hint("w", 6)
		b.LookAll(t.Context())
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, r, "5:session.status", "6:session.ended")
	})
}

// Two commits that leave the database in the other order, and one whose hint is lost.
func TestHintsOutOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, log := started(t, Config{}), suite.NewMemoryLog()
		r := b.Reader(log, Filter{Workspace: "w", Session: "s"})
		defer r.Close()
		r.Skip(0)
		first := log.Append(event("s", domain.LogSessionPhase))
		b.Publish(first)
		expect(t, r, "1:session.phase")

		second, third := log.Append(event("s", domain.LogNotice)), log.Append(event("s", domain.LogSessionPhase))
		b.Publish(third)
		expect(t, r)
		b.Publish(second)
		expect(t, r, "2:notice", "3:session.phase")
		reads := log.Reads()

		log.Append(event("s", domain.LogNotice)) // its hint is lost
		b.Publish(log.Append(event("s", domain.LogNotice)))
		expect(t, r)
		time.Sleep(gather)
		synctest.Wait()
		expect(t, r, "4:notice", "5:notice")
		if log.Reads() == reads {
			t.Error("the gap was not read from the log")
		}
	})
}

func TestLostHintIsFoundByLookingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := suite.NewMemoryLog()
		b := started(t, Config{Poll: time.Second, Newest: func(ctx context.Context, ws string) (int64, error) {
			_, newest, err := log.EventBounds(ctx, ws)
			return newest, err
		}})
		r := b.Reader(log, Filter{Workspace: "w"})
		defer r.Close()
		r.Skip(0)
		expect(t, r)
		log.Append(event("", domain.LogSlotChanged))
		time.Sleep(time.Second)
		synctest.Wait()
		expect(t, r, "1:slot.changed")
	})
}

func TestFilters(t *testing.T) {
	all := []*domain.LogEvent{
		event("", domain.LogSlotChanged), event("a", domain.LogSessionStatus), event("a", domain.LogSessionPhase),
		event("b", domain.LogMessageCreated), event("b", domain.LogApprovalRequested),
	}
	for name, c := range map[string]struct {
		filter Filter
		want   []string
	}{
		"a session":                   {Filter{Session: "a"}, []string{"2:session.status", "3:session.phase"}},
		"the workspace":               {Filter{}, []string{"1:slot.changed", "2:session.status", "5:approval.requested"}},
		"the workspace and a session": {Filter{Sessions: []string{"b"}}, []string{"1:slot.changed", "2:session.status", "4:message.created", "5:approval.requested"}},
		"by type":                     {Filter{Types: []string{"session.phase", "slot.changed"}}, []string{"1:slot.changed", "3:session.phase"}},
		"by type and session":         {Filter{Types: []string{"session.phase", "message.created"}, Sessions: []string{"b"}}, []string{"4:message.created"}},
	} {
		t.Run(name, func(t *testing.T) {
			b, log := New(Config{}), suite.NewMemoryLog()
			c.filter.Workspace = "w"
			live, later := b.Reader(log, c.filter), b.Reader(log, c.filter)
			defer live.Close()
			defer later.Close()
			live.Skip(0)
			expect(t, live)
			for _, e := range all {
				copied := *e
				b.Publish(log.Append(&copied))
			}
			expect(t, live, c.want...)
			later.Skip(0)
			expect(t, later, c.want...)
		})
	}
}

func TestSlowListenerIsClosed(t *testing.T) {
	b, log := New(Config{}), suite.NewMemoryLog()
	slow := b.Reader(log, Filter{Workspace: "w", Session: "s"})
	defer slow.Close()
	slow.Skip(0)
	expect(t, slow)
	for range maxQueued + 1 {
		b.Publish(log.Append(event("s", domain.LogNotice)))
	}
	if _, _, err := slow.Next(t.Context()); !errors.Is(err, ErrSlow) {
		t.Fatalf("got %v", err)
	}
	if slow.sub.queue != nil {
		t.Error("a closed listener keeps its queue")
	}
	again := b.Reader(log, Filter{Workspace: "w", Session: "s"})
	defer again.Close()
	if err := again.Seek(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if got := drain(t, again); len(got) != maxQueued+1-100 || got[0] != "101:notice" {
		t.Errorf("came back to %d events, the first %v", len(got), got[:1])
	}
}

// A change of a thousand events is no reason to close those who listen.
func TestBulkChangeIsReadFromTheLog(t *testing.T) {
	b, log := New(Config{}), suite.NewMemoryLog()
	r := b.Reader(log, Filter{Workspace: "w"})
	defer r.Close()
	r.Skip(0)
	expect(t, r)
	var many []*domain.LogEvent
	for range 1200 {
		many = append(many, event("", domain.LogDataChanged))
	}
	b.Publish(log.Append(many...))
	if got := drain(t, r); len(got) != 1200 || got[1199] != "1200:data.changed" {
		t.Errorf("got %d", len(got))
	}
}

func TestWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := started(t, Config{})
		if b.Watched("s") {
			t.Error("without a watcher")
		}
		one := b.Subscribe(Filter{Workspace: "w", Session: "s"})
		two := b.Subscribe(Filter{Workspace: "w", Sessions: []string{"s", "z"}})
		over := b.Subscribe(Filter{Workspace: "w"})
		defer b.Unsubscribe(over)
		b.Unsubscribe(one)
		b.Unsubscribe(one)
		if !b.Watched("s") || !b.Watched("z") || b.Watched("other") {
			t.Error("a stream that names the session watches it")
		}
		b.Unsubscribe(two)
		if b.Watched("s") {
			t.Error("still watched")
		}
		b.Heartbeat([]string{"s"}, time.Now())
		time.Sleep(HeartbeatHolds)
		if !b.Watched("s") {
			t.Error("a heartbeat holds for five minutes")
		}
		time.Sleep(time.Second)
		if b.Watched("s") {
			t.Error("a heartbeat holds for longer")
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(b.beats) != 0 {
			t.Error("old heartbeats are kept")
		}
	})
}

func TestDrainEndsEveryStream(t *testing.T) {
	b := started(t, Config{})
	r := b.Reader(suite.NewMemoryLog(), Filter{Workspace: "w"})
	defer r.Close()
	b.Drain()
	select {
	case <-r.Ready():
	default:
		t.Error("the listener was not woken")
	}
	late := b.Reader(suite.NewMemoryLog(), Filter{Workspace: "w"})
	defer late.Close()
	for _, r := range []*Reader{r, late} {
		if _, _, err := r.Next(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("got %v", err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Left(over); !errors.Is(err, context.Canceled) {
		t.Errorf("with a listener who has not left: %v", err)
	}
	r.Close()
	if err := b.Left(t.Context()); err != nil {
		t.Errorf("when the last one has left: %v", err)
	}
}
