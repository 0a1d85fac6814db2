package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

// commitNumbers: the workspace's numbers run through everything, a session's own
// count through its events, and all that shows a number shows the same.
func commitNumbers(w *world) {
	a := w.stored("first")
	b := w.stored("second")
	w.equal([]int64{a.LastSeq, a.SessionSeq, b.LastSeq, b.SessionSeq}, []int64{1, 1, 2, 1}, "numbers after creation")

	c := w.change(a)
	user := w.say(c, a, domain.SenderUser, "hello")
	moved := w.move(c, a, domain.CallingAI, "UserMessageSent")
	c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
	answer := w.say(c, a, domain.SenderAI, "hi")
	back := w.move(c, a, domain.Idle, "AIResponseParsed")
	c.Sessions[0].Claim = true
	w.ok(w.Commit(w.Context(), c))

	w.equal([]int64{user.Seq, answer.Seq}, []int64{3, 6}, "messages' numbers")
	w.equal([]int64{moved.Number, back.Number}, []int64{3, 5}, "transitions' numbers")
	w.equal([]int64{a.LastSeq, a.SessionSeq, a.Version, a.RunEpoch}, []int64{7, 5, 2, 1}, "the session's numbers")
	w.equal(a.OwnerNode+"/"+a.OwnerIncarnation, "node-1/first", "owner after a claim")

	all, _, err := w.Events.Events(w.Context(), domain.DefaultWorkspace, "", 2, domain.PageSize{Rows: 1000})
	w.ok(err)
	var data []string
	for _, e := range all {
		data = append(data, string(e.Data))
	}
	w.equal(data, []string{
		`{"message_seq":3,"seq":3,"session_seq":2,"type":"message.created"}`,
		`{"number":3,"seq":4,"session_seq":3,"type":"session.phase"}`,
		`{"seq":5,"session_seq":0,"type":"queue.changed"}`,
		`{"message_seq":6,"seq":6,"session_seq":4,"type":"message.created"}`,
		`{"number":5,"seq":7,"session_seq":5,"type":"session.phase"}`,
	}, "the log")
	own, _, err := w.Events.Events(w.Context(), domain.DefaultWorkspace, a.ID, 0, domain.PageSize{Rows: 1000})
	w.ok(err)
	for i, e := range own {
		w.equal(e.SessionSeq, int64(i+1), "the session's own count")
	}
	got, err := w.Sessions.Session(w.Context(), domain.DefaultWorkspace, a.ID)
	w.ok(err)
	w.equal(got, a, "the stored session")
	w.equal(len(w.reported), 3, "changes reported after their commit")
	w.sound()
}

// staleRefused: a write with a version or an epoch that is gone changes nothing, and
// takes back the numbers it had set.
func staleRefused(w *world) {
	s := w.stored("first")
	old := s.Clone()
	w.ok(w.Commit(w.Context(), w.change(s)))

	before := *old
	c := w.change(old)
	m := w.say(c, old, domain.SenderUser, "too late")
	if err := w.Commit(w.Context(), c); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("an old version: got %v, want ErrStale", err)
	}
	w.equal(*old, before, "the session after the refusal")
	w.equal([]int64{m.Seq, c.Events[0].Seq}, []int64{0, 0}, "the numbers after the refusal")

	fenced := s.Clone()
	c = w.change(s)
	c.Sessions[0].Claim = true
	w.ok(w.Commit(w.Context(), c))
	fenced.Version = s.Version // it reloaded the version, but drives with its old epoch
	if err := w.Commit(w.Context(), w.change(fenced)); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("an old epoch: got %v, want ErrStale", err)
	}
	list, err := w.Sessions.Messages(w.Context(), domain.DefaultWorkspace, s.ID, 0, 0)
	w.ok(err)
	w.equal(len(list), 0, "messages of refused changes")
	w.sound()
}

// concurrentWriters: eight at once in one workspace leave no gap and no number twice,
// and every reader sees a prefix.
func concurrentWriters(w *world) {
	const writers, rounds = 8, 12
	var group sync.WaitGroup
	failures := make(chan error, writers*rounds)
	for i := range writers {
		s := w.stored(fmt.Sprintf("writer %d", i))
		group.Go(func() {
			for range rounds {
				c := w.change(s)
				w.say(c, s, domain.SenderUser, "hello")
				w.move(c, s, domain.Idle, "UserMessageSent")
				c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
				if err := w.Commit(w.Context(), c); err != nil {
					failures <- err
				}
			}
		})
	}
	seen := make(chan struct{})
	go func() { group.Wait(); close(seen) }()
	var last int64
	for reading := true; reading; {
		select {
		case <-seen:
			reading = false
		default:
		}
		events, _, err := w.Events.Events(w.Context(), domain.DefaultWorkspace, "", last, domain.PageSize{Rows: 1000})
		w.ok(err)
		for _, e := range events {
			if e.Seq != last+1 {
				w.Fatalf("a reader that had %d was given %d next", last, e.Seq)
			}
			last = e.Seq
		}
	}
	close(failures)
	for err := range failures {
		w.Errorf("a writer failed: %v", err)
	}
	w.equal(last, int64(writers+3*writers*rounds), "the last number")
	w.sound()
}

// oneWins: of many who decide about one session at once, each decides on what the one
// before has written.
func oneWins(w *world) {
	s := w.stored("contended")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := w.Decide(w.Context(), domain.DefaultWorkspace, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
				next := v.Session.Clone()
				next.State.TotalRoundtrips++
				return w.change(next), nil
			})
			if err != nil {
				w.Errorf("decide: %v", err)
			}
		})
	}
	group.Wait()
	got, err := w.Sessions.Session(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal([]int64{int64(got.State.TotalRoundtrips), got.Version}, []int64{8, 9}, "count and version")
}

// refusedAsStored: of many concurrent decisions on one approval exactly one succeeds, and every caller rejected
// because of it reads the approval as settled.
func refusedAsStored(w *world) {
	ctx := w.Context()
	for round, many := range []int{2, 2, 2, 10, 10, 50} {
		id := fmt.Sprint("apr_once_", round)
		s := w.stored("asks " + id)
		c := w.change(s)
		c.Approvals = []*domain.Approval{approval(s, id, domain.ApprovalActions)}
		w.ok(w.Commit(ctx, c))
		refused := domain.Errorf(domain.CodeConflict, "settled already")
		var settled atomic.Int64
		var group sync.WaitGroup
		for range many {
			group.Go(func() {
				_, err := w.Decide(ctx, domain.DefaultWorkspace, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
					if len(v.Open) == 0 {
						return nil, refused
					}
					own := *v.Open[0]
					own.Status, own.SettledAt, own.Decision = domain.ApprovalStatusApproved, new(T0), json.RawMessage(`{"approved": true}`)
					next := w.change(v.Session)
					next.Approvals = []*domain.Approval{&own}
					return next, nil
				})
				switch {
				case err == nil:
					settled.Add(1)
				case !errors.Is(err, refused):
					w.Errorf("decide: %v", err)
				default:
					now, err := w.Approvals.Approval(ctx, domain.DefaultWorkspace, id)
					if err != nil || now.Status != domain.ApprovalStatusApproved {
						w.Errorf("it was refused as settled, and is %+v, %v", now, err)
					}
				}
			})
		}
		group.Wait()
		w.equal(settled.Load(), int64(1), "settlements")
	}
	w.sound()
}

// calledOff: a decision and a commit that wait for locks of another transaction end at once with their context and
// leave nothing.
func calledOff(w *world) {
	s := w.stored("held")
	// Act holds the locks while it acts, in either database.
	_, err := w.Act(w.Context(), domain.DefaultWorkspace, s.ID, func(_ context.Context, v *domain.View, _ *repository.Data) (*domain.Change, error) {
		for name, write := range map[string]func(context.Context) error{
			"decide": func(ctx context.Context) error {
				_, err := w.Decide(ctx, domain.DefaultWorkspace, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
					return w.change(v.Session), nil
				})
				return err
			},
			"commit": func(ctx context.Context) error { return w.Commit(ctx, w.change(s.Clone())) },
		} {
			cause := errors.New("called off")
			ctx, cancel := context.WithTimeoutCause(w.Context(), 50*time.Millisecond, cause)
			if err := write(ctx); !errors.Is(err, cause) {
				w.Errorf("%s: called off with %v", name, err)
			}
			cancel()
		}
		return w.change(v.Session), nil
	})
	w.ok(err)
	got, err := w.Sessions.Session(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(got.Version, s.Version+1, "the version after the one who held the locks")
}

// refusals: what decide refuses, or has nothing to say about, leaves nothing.
func refusals(w *world) {
	s := w.stored("first")
	refused := domain.Errorf(domain.CodeWrongPhase, "not now")
	_, err := w.Decide(w.Context(), domain.DefaultWorkspace, s.ID, nil, func(context.Context, *domain.View) (*domain.Change, error) { return nil, refused })
	if !errors.Is(err, refused) {
		w.Fatalf("a refusal came back as %v", err)
	}
	c, err := w.Decide(w.Context(), domain.DefaultWorkspace, s.ID, nil, func(context.Context, *domain.View) (*domain.Change, error) { return nil, nil })
	w.ok(err)
	if c != nil {
		w.Fatalf("nothing to write came back as %v", c)
	}
	_, err = w.Act(w.Context(), domain.DefaultWorkspace, s.ID, func(ctx context.Context, _ *domain.View, d *repository.Data) (*domain.Change, error) {
		return nil, d.InsertZone(ctx, zone("zon_lost", "lost"))
	})
	w.ok(err)
	_, err = w.ReadData(domain.DefaultWorkspace).Zone(w.Context(), "zon_lost")
	w.code(err, domain.CodeNotFound)

	// A message without its event, or a transition without one, cannot be numbered.
	broken := w.change(s)
	broken.Messages = append(broken.Messages, &domain.Message{ID: "msg_x", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Status: domain.MessageStored})
	if err := w.Commit(w.Context(), broken); err == nil {
		w.Fatal("a message without an event was stored")
	}
	ctx, cancel := context.WithCancel(w.Context())
	cancel()
	if err := w.Commit(ctx, w.change(s)); !errors.Is(err, context.Canceled) {
		w.Fatalf("a cancelled commit gave %v", err)
	}
	got, err := w.Sessions.Session(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(got, s, "the session after all refusals")
	w.sound()
}

// actions: the user's data, the outcome and the transition are stored together; a
// savepoint undoes one action and keeps the others.
func actions(w *world) {
	s := w.stored("first")
	boom := errors.New("boom")
	c, err := w.Act(w.Context(), domain.DefaultWorkspace, s.ID, func(ctx context.Context, v *domain.View, d *repository.Data) (*domain.Change, error) {
		if err := d.Savepoint(ctx, func() error { return d.InsertZone(ctx, zone("zon_1", "kept")) }); err != nil {
			return nil, err
		}
		err := d.Savepoint(ctx, func() error {
			if err := d.InsertZone(ctx, zone("zon_2", "undone")); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			return nil, fmt.Errorf("the savepoint gave %w", err)
		}
		// A statement that fails does not spoil what comes after the savepoint.
		err = d.Savepoint(ctx, func() error { return d.InsertZone(ctx, zone("zon_1", "twice")) })
		if domain.ErrorCode(err) != domain.CodeConflict {
			return nil, fmt.Errorf("the duplicate gave %w", err)
		}
		change := w.change(v.Session.Clone())
		change.Emit(domain.LogEvent{Type: domain.LogDataChanged, Change: &domain.DataChange{Noun: "zone", ID: "zon_1", Operation: "created"}})
		return change, nil
	})
	w.ok(err)
	w.equal(c.Events[0].Seq, int64(2), "number of the change")
	zones, err := w.ReadData(domain.DefaultWorkspace).Zones(w.Context())
	w.ok(err)
	w.equal(len(zones), 1, "zones after the actions")
	if err := w.ReadData(domain.DefaultWorkspace).InsertZone(w.Context(), zone("zon_3", "no")); err == nil {
		w.Fatal("data for reading was written")
	}
	w.sound()
}
