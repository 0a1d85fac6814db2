package repository_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/requests"
	"github.com/fermata-dev/fermata/repository/suite"
)

const ws = domain.DefaultWorkspace

// cutWorld is a store whose way to the server can be cut, and one beside it that
// sees what became of it.
type cutWorld struct {
	t      *testing.T
	proxy  *testkit.CutProxy
	store  *repository.Store // through the proxy
	direct *repository.Store
	url    string // of the database, directly
	at     time.Time
}

func newCutWorld(t *testing.T) *cutWorld {
	w := &cutWorld{t: t, at: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)}
	direct, cut := plainConfig(), plainConfig()
	direct.URL = suite.MigratedPostgres(t)
	w.url = direct.URL
	direct.Node = "watcher"
	w.direct = opened(t, direct)
	demandChanges(t, w.url)
	w.proxy = testkit.NewCutProxy(t)
	cut.URL = w.proxy.URL(t, direct.URL)
	w.store = opened(t, cut)
	w.must(w.direct.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: ws, Name: "d", Settings: domain.DefaultSettings(), CreatedAt: w.at}))
	return w
}

func (w *cutWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *cutWorld) session() *domain.Session {
	return &domain.Session{ID: ids.New("ses"), WorkspaceID: ws, Type: domain.Chat, Phase: domain.Idle, CreatedAt: w.at, UpdatedAt: w.at, LastEventTime: w.at}
}

// fresh stores a session directly.
func (w *cutWorld) fresh() *domain.Session {
	s := w.session()
	w.must(w.direct.Commit(w.t.Context(), &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}))
	return s
}

// big is a change with a write of every kind.
func (w *cutWorld) big(s *domain.Session, insert bool) *domain.Change {
	c := &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s, Insert: insert, Claim: true}}}
	message := func(status domain.MessageStatus) *domain.Message {
		m := &domain.Message{ID: ids.New("msg"), WorkspaceID: ws, SessionID: s.ID, Timestamp: w.at, Sender: domain.SenderUser, Status: status}
		c.Messages = append(c.Messages, m)
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
		return m
	}
	message(domain.MessageStored)
	queued := message(domain.MessageQueued)
	x := &domain.Transition{WorkspaceID: ws, SessionID: s.ID, From: domain.Idle, To: domain.Idle, Event: "E", At: w.at}
	c.Transitions = []*domain.Transition{x}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionPhase, Phase: x})
	c.Executions = []*domain.Execution{{ID: ids.New("exe"), WorkspaceID: ws, SessionID: s.ID, Status: domain.ExecPlanned, CreatedAt: w.at}}
	c.Approvals = []*domain.Approval{{ID: ids.New("apr"), WorkspaceID: ws, SessionID: s.ID, Kind: domain.ApprovalOutcome, Status: domain.ApprovalStatusOpen, CreatedAt: w.at}}
	c.Roundtrips = []*domain.Roundtrip{{ID: ids.New("rtp"), WorkspaceID: ws, SessionID: s.ID, StartedAt: w.at, EndedAt: w.at}}
	c.Inbox = []*domain.InboxItem{{ID: ids.New("inb"), WorkspaceID: ws, SessionID: s.ID, Kind: "message", MessageID: queued.ID, CreatedAt: w.at}}
	c.Enqueue = []domain.QueueRow{{WorkspaceID: ws, SessionID: s.ID, Since: w.at}}
	return c
}

// a write: do makes it through the proxy, applied counts directly how often it took
// effect since before.
type write struct {
	name    string
	prepare func(w *cutWorld) (do func(ctx context.Context) error, applied func() int)
}

func (w *cutWorld) lastSeq() int64 {
	_, newest, err := w.direct.Events.EventBounds(w.t.Context(), ws)
	w.must(err)
	return newest
}

var writes = []write{
	{"commit of a new session", func(w *cutWorld) (func(context.Context) error, func() int) {
		s, before := w.session(), w.lastSeq()
		c := w.big(s, true)
		return func(ctx context.Context) error { return w.store.Commit(ctx, c) }, func() int { return w.countBig(s, before, 3) }
	}},
	{"commit of a change", func(w *cutWorld) (func(context.Context) error, func() int) {
		s := w.fresh()
		before := w.lastSeq()
		c := w.big(s, false)
		return func(ctx context.Context) error { return w.store.Commit(ctx, c) }, func() int { return w.countBig(s, before, 3) }
	}},
	{"commit without events", func(w *cutWorld) (func(context.Context) error, func() int) {
		s := w.fresh()
		return func(ctx context.Context) error {
			return w.store.Commit(ctx, &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s}}})
		}, func() int { return int(w.read(s.ID).Version) - 1 }
	}},
	{"commit in a known workspace", func(w *cutWorld) (func(context.Context) error, func() int) {
		s, before := w.fresh(), w.lastSeq()
		w.known(s.ID)
		c := w.plain(s, true)
		return func(ctx context.Context) error { return w.store.Commit(ctx, c) }, func() int { return w.countPlain(s, before) }
	}},
	{"decision", func(w *cutWorld) (func(context.Context) error, func() int) {
		s := w.fresh()
		return func(ctx context.Context) error {
			_, err := w.store.Decide(ctx, ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
				next := v.Session.Clone()
				next.State.TotalRoundtrips++
				c := &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: next}}}
				c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: next})
				return c, nil
			})
			return err
		}, func() int { return w.read(s.ID).State.TotalRoundtrips }
	}},
	{"action", func(w *cutWorld) (func(context.Context) error, func() int) {
		s, id := w.fresh(), ids.New("zon")
		return func(ctx context.Context) error {
				_, err := w.store.Act(ctx, ws, s.ID, func(ctx context.Context, v *domain.View, d *repository.Data) (*domain.Change, error) {
					err := d.Savepoint(ctx, func() error { return d.InsertZone(ctx, &userdata.Zone{ID: id, CreatedAt: w.at, UpdatedAt: w.at}) })
					next := v.Session.Clone()
					next.State.CommandsRun++
					return &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: next}}}, err
				})
				return err
			}, func() int {
				n := w.read(s.ID).State.CommandsRun
				if _, err := w.direct.ReadData(ws).Zone(w.t.Context(), id); (err == nil) != (n == 1) {
					w.t.Errorf("the action's data and its outcome are not one: %d, %v", n, err)
				}
				return n
			}
	}},
	{"data", func(w *cutWorld) (func(context.Context) error, func() int) {
		before := w.lastSeq()
		return func(ctx context.Context) error {
			seq, err := w.store.WriteData(ctx, ws, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
				id := ids.New("zon")
				return []domain.DataChange{{Noun: "zone", ID: id}}, d.InsertZone(ctx, &userdata.Zone{ID: id, CreatedAt: w.at, UpdatedAt: w.at})
			})
			if err == nil && seq != before+1 {
				w.t.Errorf("the data's event has number %d after %d", seq, before)
			}
			return err
		}, func() int { return int(w.lastSeq() - before) }
	}},
	{"settings", func(w *cutWorld) (func(context.Context) error, func() int) {
		before := w.settings()
		return func(ctx context.Context) error {
			_, err := w.store.Workspaces.UpdateSettings(ctx, ws, people.SettingsPatch{Fields: fmt.Appendf(nil, `{"max_queue_length":%d}`, before+1)})
			return err
		}, func() int { return w.settings() - before }
	}},
	{"provider", func(w *cutWorld) (func(context.Context) error, func() int) {
		p := &outside.Provider{ID: ids.New("prv"), WorkspaceID: ws, Config: json.RawMessage("{}"), IsDefault: true, CreatedAt: w.at, UpdatedAt: w.at}
		w.must(w.direct.Providers.InsertProvider(w.t.Context(), p))
		return func(ctx context.Context) error { return w.store.Providers.UpdateProvider(ctx, p) }, func() int {
			got, err := w.direct.Providers.Provider(w.t.Context(), ws, p.ID)
			w.must(err)
			return int(got.Version) - 1
		}
	}},
	{"key", func(w *cutWorld) (func(context.Context) error, func() int) {
		k := &people.Key{ID: ids.New("key"), WorkspaceID: ws, Hash: ids.New("h"), CreatedAt: w.at}
		return func(ctx context.Context) error { return w.store.Keys.InsertKey(ctx, k, nil) }, func() int {
			if _, err := w.direct.Keys.KeyByHash(w.t.Context(), k.Hash); err != nil {
				return 0
			}
			return 1
		}
	}},
	{"workspace", func(w *cutWorld) (func(context.Context) error, func() int) {
		id := ids.New("ws")
		return func(ctx context.Context) error {
				return w.store.Workspaces.CreateWorkspace(ctx, &domain.Workspace{ID: id, Settings: domain.DefaultSettings(), CreatedAt: w.at})
			}, func() int {
				if _, err := w.direct.Workspaces.Workspace(w.t.Context(), id); err != nil {
					return 0
				}
				return 1
			}
	}},
	{"request key", func(w *cutWorld) (func(context.Context) error, func() int) {
		s, key := w.fresh(), ids.New("k")
		return func(ctx context.Context) error {
				state, _, err := w.store.Requests.BeginIdempotent(ctx, ws, requests.IdempotentRequest{Key: key, Hash: "h"}, w.at)
				if err == nil && state != domain.RequestNew {
					err = fmt.Errorf("a fresh key is %s", state)
				}
				if err != nil {
					return err
				}
				under := requests.WithIdempotencyKey(ctx, ws, key)
				if err := w.store.Commit(under, w.big(s, false)); err != nil {
					return err
				}
				return w.store.Requests.FinishIdempotent(under, ws, key, 200, []byte("x"), nil)
			}, func() int {
				state, stored, err := w.direct.Requests.BeginIdempotent(w.t.Context(), ws, requests.IdempotentRequest{Key: key, Hash: "h"}, w.at)
				w.must(err)
				if state != domain.RequestAnswered || stored.Seq == 0 {
					w.t.Errorf("the request's key is %s, %v", state, stored)
				}
				return int(w.read(s.ID).Version) - 1
			}
	}},
	{"request key of a decision", func(w *cutWorld) (func(context.Context) error, func() int) {
		s, key := w.fresh(), ids.New("k")
		request := requests.IdempotentRequest{Key: key, Hash: "h"}
		_, _, err := w.store.Requests.BeginIdempotent(w.t.Context(), ws, request, w.at)
		w.must(err)
		before := w.lastSeq()
		return func(ctx context.Context) error {
				_, err := w.store.Decide(requests.WithIdempotencyKey(ctx, ws, key), ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
					*s = *v.Session
					return w.plain(s, true), nil
				})
				return err
			}, func() int {
				state, stored, err := w.direct.Requests.BeginIdempotent(w.t.Context(), ws, request, w.at)
				w.must(err)
				if state != domain.RequestApplied || stored.Seq != w.lastSeq() {
					w.t.Errorf("the request's key is %s, %v", state, stored)
				}
				return w.countPlain(s, before)
			}
	}},
	{"lease", func(w *cutWorld) (func(context.Context) error, func() int) {
		return func(ctx context.Context) error {
			return errors.Join(w.store.Nodes.Renew(ctx, time.Hour), w.store.Nodes.Release(ctx))
		}, func() int { return 1 }
	}},
}

// known has the store know how the workspace stands.
func (w *cutWorld) known(session string) {
	_, err := w.store.View(w.t.Context(), ws, session)
	w.must(err)
}

// plain is a change as a round without commands makes it.
func (w *cutWorld) plain(s *domain.Session, claim bool) *domain.Change {
	c := &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s, Claim: claim}}}
	m := &domain.Message{ID: ids.New("msg"), WorkspaceID: ws, SessionID: s.ID, Timestamp: w.at, Sender: domain.SenderAI, Status: domain.MessageStored}
	x := &domain.Transition{WorkspaceID: ws, SessionID: s.ID, From: domain.Idle, To: domain.Idle, Event: "E", At: w.at}
	c.Messages, c.Transitions = []*domain.Message{m}, []*domain.Transition{x}
	cost := 0.5
	c.Roundtrips = []*domain.Roundtrip{{ID: ids.New("rtp"), WorkspaceID: ws, SessionID: s.ID, StartedAt: w.at, EndedAt: w.at, Usage: domain.Usage{Cost: &cost}}}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionPhase, Phase: x})
	return c
}

// countPlain counts how often a plain change took effect, and demands that all of it did
// or nothing, with the numbers that the caller has in hand.
func (w *cutWorld) countPlain(s *domain.Session, before int64) int {
	w.t.Helper()
	n := int(w.lastSeq() - before)
	if n%2 != 0 {
		w.t.Errorf("%d events were written, not a multiple of 2", n)
	}
	n /= 2
	got := w.read(s.ID)
	messages, err := w.direct.Sessions.Messages(w.t.Context(), ws, s.ID, 0, 0)
	w.must(err)
	transitions, err := w.direct.Records.Transitions(w.t.Context(), ws, s.ID)
	w.must(err)
	calls, err := w.direct.Records.Roundtrips(w.t.Context(), ws, s.ID)
	w.must(err)
	if len(messages) != n || len(transitions) != n || len(calls) != n || got.RunEpoch != int64(n) || got.Version != int64(n)+1 {
		w.t.Errorf("half written: %d messages, %d transitions, %d calls, epoch %d, version %d for %d changes",
			len(messages), len(transitions), len(calls), got.RunEpoch, got.Version, n)
	}
	if n > 0 && (got.Version != s.Version || got.LastSeq != s.LastSeq || got.SessionSeq != s.SessionSeq || messages[n-1].Seq != s.LastSeq-1) {
		w.t.Errorf("stored: version %d, events up to %d (%d); in hand: %d, %d (%d)",
			got.Version, got.LastSeq, got.SessionSeq, s.Version, s.LastSeq, s.SessionSeq)
	}
	return n
}

func (w *cutWorld) read(id string) *domain.Session {
	s, err := w.direct.Sessions.Session(w.t.Context(), ws, id)
	w.must(err)
	return s
}

func (w *cutWorld) settings() int {
	x, err := w.direct.Workspaces.Workspace(w.t.Context(), ws)
	w.must(err)
	return x.Settings.MaxQueueLength
}

// countBig counts how often a big change took effect, and demands that all of it did
// or nothing.
func (w *cutWorld) countBig(s *domain.Session, before int64, events int) int {
	n := int(w.lastSeq() - before)
	if n%events != 0 {
		w.t.Errorf("%d events were written, not a multiple of %d", n, events)
	}
	n /= events
	got, err := w.direct.View(w.t.Context(), ws, s.ID)
	if n == 0 || err != nil {
		return n
	}
	if len(got.Open) != n || len(got.Inbox) != n || got.Session.RunEpoch != int64(n) || got.Session.Version != s.Version {
		w.t.Errorf("half written: %d open, %d in the inbox, epoch %d, version %d (in hand %d)",
			len(got.Open), len(got.Inbox), got.Session.RunEpoch, got.Session.Version, s.Version)
	}
	return n
}

// TestLostReplies verifies that whichever request or reply is lost, the write happens exactly once and the caller
// gets success.
func TestLostReplies(t *testing.T) {
	w := newCutWorld(t)
	cuts := map[string]int{}
	for _, kind := range writes {
		for lost, arm := range map[string]func(int){"reply": w.proxy.LoseReply, "request": w.proxy.LoseRequest} {
			for n := 1; ; n++ {
				do, applied := kind.prepare(w)
				arm(n)
				err := do(t.Context())
				cut := w.proxy.Cut()
				w.proxy.LoseReply(0)
				if err != nil {
					t.Fatalf("%s, %s %d (%s) lost: %v", kind.name, lost, n, cut, err)
				}
				if times := applied(); times != 1 {
					t.Fatalf("%s, %s %d (%s) lost: written %d times", kind.name, lost, n, cut, times)
				}
				if cut == "" {
					break // every position was cut
				}
				cuts[cut]++
			}
		}
	}
	t.Logf("cut: %v", cuts)
	if cuts["COMMIT"] < len(writes)-2 || cuts["INSERT 0 1"] == 0 || cuts["BEGIN"] == 0 || cuts["SELECT 1"] < 4 {
		t.Errorf("too few places were cut: %v", cuts)
	}
	for _, i := range w.invariants() {
		t.Errorf("invariant %s: %d", i.Name, i.Count)
	}
}

func (w *cutWorld) invariants() []reports.Invariant {
	all, err := w.direct.Workspaces.Invariants(w.t.Context(), ws)
	w.must(err)
	var broken []reports.Invariant
	for _, i := range all {
		if i.Count != 0 {
			broken = append(broken, i)
		}
	}
	return broken
}

// TestOutcomeUnknown verifies that when the reply to COMMIT is lost and the server cannot be reached, the caller
// gets the error for an unknown outcome; before COMMIT the error states that nothing was written.
func TestOutcomeUnknown(t *testing.T) {
	for n, known := 1, false; !known; n++ {
		w := newCutWorld(t)
		s := w.fresh()
		before := *s
		c := &domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s}}}
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
		w.proxy.LoseReplyForGood(n)
		err := w.store.Commit(t.Context(), c)
		cut := w.proxy.Cut()
		if err == nil {
			break
		}
		var e *domain.Error
		if !errors.As(err, &e) {
			t.Fatalf("cut at %s: %v", cut, err)
		}
		want, outcome, version := domain.CodeUnavailable, domain.NotApplied, int64(1)
		if cut == "COMMIT" {
			want, outcome, version, known = domain.CodeOutcomeUnknown, domain.OutcomeUnknown, 2, true
		}
		if e.Code != want || e.Outcome != outcome {
			t.Errorf("cut at %s: code %s, outcome %s", cut, e.Code, e.Outcome)
		}
		if got := w.read(s.ID); got.Version != version {
			t.Errorf("cut at %s: the stored version is %d", cut, got.Version)
		}
		if s.Version != before.Version || s.LastSeq != before.LastSeq {
			t.Errorf("cut at %s: the session in hand kept numbers of the change", cut)
		}
		if n > 20 {
			t.Fatal("COMMIT was never cut")
		}
	}
}

// TestFewRoundTrips: the two commits of a round without commands, once their
// statements are prepared, cost so many words with the server and no more.
func TestFewRoundTrips(t *testing.T) {
	w := newCutWorld(t)
	cfg := plainConfig()
	cfg.URL, cfg.Node, cfg.Connections = w.proxy.URL(t, w.url), "n2", 2 // one to write: warm after the first
	store := opened(t, cfg)
	s := w.fresh()
	claimed := func(c *domain.Change) *domain.Change {
		m := &domain.Message{ID: ids.New("msg"), WorkspaceID: ws, SessionID: s.ID, Timestamp: w.at, Sender: domain.SenderAI, Status: domain.MessageStored}
		x := &domain.Transition{WorkspaceID: ws, SessionID: s.ID, From: domain.Idle, To: domain.Idle, Event: "E", At: w.at}
		c.Messages, c.Transitions = []*domain.Message{m}, []*domain.Transition{x}
		c.Roundtrips = []*domain.Roundtrip{{ID: ids.New("rtp"), WorkspaceID: ws, SessionID: s.ID, StartedAt: w.at, EndedAt: w.at}}
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionPhase, Phase: x})
		return c
	}
	decide := func() error {
		_, err := store.Decide(t.Context(), ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			s = v.Session
			c := claimed(&domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s, Claim: true}}})
			c.Roundtrips = nil
			return c, nil
		})
		return err
	}
	commit := func() error {
		return store.Commit(t.Context(), claimed(&domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s}}}))
	}
	asked := &domain.Execution{WorkspaceID: ws, SessionID: s.ID, Command: "GET_ZONES", Kind: domain.KindQuery, CreatedAt: w.at}
	executions := func(status domain.ExecutionStatus) func() error {
		return func() error {
			c := claimed(&domain.Change{WorkspaceID: ws, At: w.at, Sessions: []domain.SessionWrite{{Session: s}}})
			if status == domain.ExecPlanned {
				asked.ID = ids.New("exe")
			}
			asked.Status = status
			c.Executions = []*domain.Execution{asked}
			c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogCommandEnded, Execution: asked})
			return store.Commit(t.Context(), c)
		}
	}
	ask, results := executions(domain.ExecPlanned), executions(domain.ExecSuccess)
	for name, c := range map[string]struct {
		do   func() error
		most int
	}{
		// workspace and sessions; all that is written
		"message in": {decide, 2},
		// all that is written
		"answer out": {commit, 1}, "answer with queries": {ask, 1}, "results of queries": {results, 1},
	} {
		for range 2 {
			w.must(decide())
			w.must(commit())
			w.must(ask())
			w.must(results())
		}
		w.must(ask()) // what has a result is not asked again
		w.proxy.LoseReply(0)
		w.must(c.do())
		if n := w.proxy.Replies(); n != c.most {
			t.Errorf("%s: %d round trips, want %d", name, n, c.most)
		}
	}
}
