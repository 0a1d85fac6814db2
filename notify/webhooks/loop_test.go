package webhooks

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/seal"
)

// inVirtualTime runs a story with a loop that runs.
func inVirtualTime(t *testing.T, answer func(try) (int, http.Header, error), story func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, answer)
		if err := b.loop.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		story(b)
		if err := b.loop.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func status(code int) func(try) (int, http.Header, error) {
	return func(try) (int, http.Header, error) { return code, nil, nil }
}

// An event that does not arrive is tried ten times over three days, then given up: the
// webhook has failed for so long by then that the next failure disables it, with a notice.
func TestTenTriesOverThreeDays(t *testing.T) {
	inVirtualTime(t, status(500), func(b *bench) {
		begun := time.Now()
		b.happen(domain.LogNotice, "a")
		time.Sleep(90 * time.Hour)
		synctest.Wait()
		tries := b.times(1)
		if len(tries) != outside.WebhookTries {
			t.Fatalf("%d tries", len(tries))
		}
		if whole := tries[9].Sub(tries[0]); whole < 64*time.Hour || whole > 80*time.Hour {
			t.Errorf("the last try came after %s", whole)
		}
		if first := tries[0].Sub(begun); first > time.Second {
			t.Errorf("the first try came after %s", first)
		}
		for i := range delays {
			if wait := tries[i+1].Sub(tries[i]); wait < delays[i]*9/10 || wait > delays[i]*11/10+time.Second {
				t.Errorf("wait %d was %s", i, wait)
			}
		}
		if d := b.deliveries[1]; d.State != outside.DeliveryFailed || d.Tries != 10 || d.Detail != "it answered 500 Internal Server Error" {
			t.Errorf("the delivery is %+v", d)
		}
		b.happen(domain.LogNotice, "a")
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.hook.Enabled || b.hook.DisabledReason != outside.WebhookFailing || len(b.notices) != 1 {
			t.Errorf("it is %+v, with the notices %v", b.hook, b.notices)
		}
	})
}

// While one session's event does not arrive, those of others do, and its own wait: all in
// order for each.
func TestOneSessionBlocksNoOther(t *testing.T) {
	failing := time.Now().Add(time.Hour)
	hold := func(t try) (int, http.Header, error) {
		if t.session == "bad" && t.at.Before(failing) {
			return 0, nil, nil // it hangs
		}
		return 204, nil, nil
	}
	inVirtualTime(t, hold, func(b *bench) {
		failing = time.Now().Add(time.Hour)
		for range 30 {
			b.happen(domain.LogNotice, "bad", "good", "bad", "")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if b.came("good") != 30 || b.came("") != 30 || b.came("bad") != 0 {
			t.Errorf("after a second: %d, %d and %d", b.came("good"), b.came(""), b.came("bad"))
		}
		b.happen(domain.LogNotice, "good")
		time.Sleep(time.Second)
		synctest.Wait()
		if b.came("good") != 31 {
			t.Error("a later event of another session waits")
		}
		b.memory.mu.Lock()
		if l, lags := b.lanes["bad"]; !lags || l.SentTo != 0 {
			t.Errorf("lanes %v", b.lanes)
		}
		b.memory.mu.Unlock()
		time.Sleep(4 * time.Hour)
		synctest.Wait()
		if n := b.came("bad"); n != 60 {
			t.Errorf("%d of 60 came in the end", n)
		}
		for session, seqs := range b.got {
			if !slices.IsSorted(seqs) {
				t.Errorf("%q out of order: %v", session, seqs)
			}
		}
		if len(b.lanes) != 0 || b.hook.SentTo != int64(len(b.events)) {
			t.Errorf("in the end lanes %v, sent to %d", b.lanes, b.hook.SentTo)
		}
	})
}

// A receiver that asks for time is left alone, by every session, for as long as it says.
func TestRetryAfter(t *testing.T) {
	var asked atomic.Bool
	ask := func(try) (int, http.Header, error) {
		if !asked.Swap(true) {
			return 429, http.Header{"Retry-After": {"600"}}, nil
		}
		return 204, nil, nil
	}
	inVirtualTime(t, ask, func(b *bench) {
		b.happen(domain.LogNotice, "a")
		time.Sleep(time.Second)
		b.happen(domain.LogNotice, "b", "a")
		time.Sleep(590 * time.Second)
		synctest.Wait()
		if len(b.times(1)) != 1 || len(b.times(2)) != 0 || len(b.times(3)) != 0 {
			t.Error("it was not left alone")
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if len(b.got["a"]) != 2 || len(b.got["b"]) != 1 || b.deliveries[1].Tries != 2 {
			t.Errorf("afterwards: %v, %+v", b.got, b.deliveries[1])
		}
	})
}

// 410 disables at once.
func TestGoneDisablesAtOnce(t *testing.T) {
	inVirtualTime(t, status(410), func(b *bench) {
		b.happen(domain.LogNotice, "a", "b")
		time.Sleep(time.Second)
		synctest.Wait()
		b.happen(domain.LogNotice, "c")
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.hook.Enabled || b.hook.DisabledReason != outside.WebhookGone || len(b.notices) != 1 || len(b.times(3)) != 0 {
			t.Errorf("%+v %v", b.hook, b.tries)
		}
	})
}

// A database that fails is asked again, and what was sent is recorded in the end.
func TestTheDatabaseFails(t *testing.T) {
	inVirtualTime(t, nil, func(b *bench) {
		b.memory.mu.Lock()
		b.failing = errors.New("no connection")
		b.memory.mu.Unlock()
		b.happen(domain.LogNotice, "a", "b")
		time.Sleep(time.Minute)
		b.memory.mu.Lock()
		b.failing = nil
		b.memory.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(b.deliveries) != 2 || b.hook.SentTo != 2 {
			t.Errorf("recorded: %v, up to %d", b.deliveries, b.hook.SentTo)
		}
	})
}

// TestAnotherEpoch verifies that after a change by another node, deliveries in progress are not recorded, and
// delivery restarts from the stored position.
func TestAnotherEpoch(t *testing.T) {
	slow := func(try) (int, http.Header, error) { time.Sleep(time.Second); return 204, nil, nil }
	inVirtualTime(t, slow, func(b *bench) {
		b.happen(domain.LogNotice, "a", "b", "a")
		time.Sleep(500 * time.Millisecond)
		b.memory.mu.Lock()
		b.hook.Epoch++ // a replay from the beginning
		b.hook.SentTo = 0
		b.memory.mu.Unlock()
		b.loop.Changed(outside.WebhookRef{WorkspaceID: "default", ID: "whk_1"})
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := b.got["a"]; !slices.Equal(got, []int64{1, 1, 3}) {
			t.Errorf("of a came %v", got)
		}
		if len(b.deliveries) != 3 || b.hook.SentTo != 3 {
			t.Errorf("%v, up to %d", b.deliveries, b.hook.SentTo)
		}
	})
}

// What the log no longer has is not sent, and the list says so.
func TestPrunedBeforeItWasSent(t *testing.T) {
	b := (*bench)(nil)
	synctest.Test(t, func(t *testing.T) {
		b = newBench(t, nil)
		b.happen(domain.LogNotice, "a", "a", "a", "a")
		b.pruned = 3
		if err := b.loop.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		_ = b.loop.Stop(t.Context())
		if !slices.Equal(b.got["a"], []int64{4}) || b.deliveries[3].State != outside.DeliverySkipped {
			t.Errorf("came %v, listed %v", b.got, b.deliveries)
		}
	})
}

// A workspace in which nothing of its types happens is written to at most at each look, and
// one without webhooks is not even read.
func TestWhatIsNotSentCostsNothing(t *testing.T) {
	inVirtualTime(t, nil, func(b *bench) {
		for range 200 {
			b.happen(domain.LogSessionPhase, "a")
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if b.writes > 2 || len(b.tries) != 0 {
			t.Errorf("%d writes, %d requests", b.writes, len(b.tries))
		}
		reads := b.reads
		b.loop.Committed(&domain.Change{WorkspaceID: "other", Events: b.events[:1]})
		synctest.Wait()
		if b.reads != reads {
			t.Error("a workspace without webhooks was read")
		}
	})
}

// A secret that cannot be read sends nothing, and is not asked for again and again.
func TestASecretThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		keys, err := seal.New([][]byte{bytes.Repeat([]byte("x"), 32)})
		if err != nil {
			t.Fatal(err)
		}
		b.loop = b.newLoop(keys)
		_ = b.loop.Start(t.Context())
		synctest.Wait()
		reads := b.reads
		for range 10 {
			b.happen(domain.LogNotice, "a")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if len(b.tries) != 0 || b.reads > reads+2 {
			t.Errorf("%d requests, %d reads", len(b.tries), b.reads-reads)
		}
		_ = b.loop.Stop(t.Context())
	})
}

// While nothing arrives at all, a receiver that hangs holds two requests and no more.
func TestAHangingReceiverHoldsLittle(t *testing.T) {
	var mu sync.Mutex
	on, most := 0, 0
	hang := func(try) (int, http.Header, error) {
		mu.Lock()
		on++
		most = max(most, on)
		mu.Unlock()
		time.Sleep(sendTimeout - time.Second)
		mu.Lock()
		on--
		mu.Unlock()
		return 500, nil, nil
	}
	inVirtualTime(t, hang, func(b *bench) {
		b.happen(domain.LogNotice, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
		time.Sleep(time.Minute)
		synctest.Wait()
		mu.Lock()
		first := most
		most = 0
		mu.Unlock()
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if first != inFlight || most > probing {
			t.Errorf("%d at once at first, then %d", first, most)
		}
	})
}

// Approvals are sent to people. The messages of a chat do not even wake their workers,
// here or on another node. The periodic scan records the position.
func TestMessagesWakeNoTelephone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, status(201))
		b.hook.Kind, b.hook.Types = outside.WebhookPush, []domain.LogType{domain.LogApprovalRequested}
		_ = b.loop.Start(t.Context())
		time.Sleep(time.Second)
		synctest.Wait()
		reads := b.reads
		for range 50 {
			b.happen(domain.LogMessageCreated, "a")
			b.loop.Hinted(domain.Hint{WorkspaceID: "default", Seq: int64(len(b.events))})
			synctest.Wait()
		}
		if b.reads != reads {
			t.Errorf("the messages were worth %d looks", b.reads-reads)
		}
		b.happen(domain.LogApprovalRequested, "a")
		synctest.Wait()
		if b.came("a") != 1 {
			t.Error("the approval was not sent immediately")
		}
		b.memory.mu.Lock()
		b.events = append(b.events, &domain.LogEvent{Seq: 52, WorkspaceID: "default", SessionID: "b", Type: domain.LogApprovalRequested, At: time.Now(), Data: []byte("{}")})
		b.memory.mu.Unlock()
		b.loop.Hinted(domain.Hint{WorkspaceID: "default", Seq: 52, Asked: true})
		synctest.Wait()
		if len(b.times(52)) != 1 {
			t.Error("the approval of another node was not sent immediately")
		}
		b.happen(domain.LogMessageCreated, "a")
		time.Sleep(scanInterval)
		synctest.Wait()
		if b.hook.SentTo != 53 {
			t.Errorf("after a scan it was sent up to %d", b.hook.SentTo)
		}
		_ = b.loop.Stop(t.Context())
	})
}

// A browser that is gone ends; a push service that fails for days does not end it.
func TestATelephoneEndsWhenItIsGone(t *testing.T) {
	inVirtualTime(t, status(500), func(b *bench) {
		b.memory.mu.Lock()
		b.hook.Kind = outside.WebhookPush
		b.memory.mu.Unlock()
		b.happen(domain.LogNotice, "a")
		time.Sleep(100 * time.Hour)
		b.happen(domain.LogNotice, "a")
		time.Sleep(time.Hour)
		synctest.Wait()
		if !b.hook.Enabled || b.deliveries[1].State != outside.DeliveryFailed {
			t.Errorf("after four days: %+v, %+v", b.hook, b.deliveries[1])
		}
		b.receiver.mu.Lock()
		b.answer = status(410)
		b.receiver.mu.Unlock()
		time.Sleep(40 * time.Hour)
		synctest.Wait()
		if b.hook.Enabled || b.hook.DisabledReason != outside.WebhookGone {
			t.Errorf("when it was gone: %+v", b.hook)
		}
	})
}

// Whatever fails, and whenever the process dies: each event is sent at least once, those of
// a session in order, and no more often than the deaths and failures explain.
func TestWhateverHappensNothingIsLost(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { losesNothing(t, seed) })
	}
}

func losesNothing(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		random, answers := rand.New(rand.NewPCG(seed, 7)), rand.New(rand.NewPCG(seed, 8))
		var b *bench
		b = newBench(t, func(try) (int, http.Header, error) {
			b.receiver.mu.Lock()
			n := answers.IntN(12)
			b.receiver.mu.Unlock()
			switch n {
			case 0:
				return 500, nil, nil
			case 1:
				return 0, nil, nil
			case 2:
				return 0, nil, errors.New("connection reset")
			}
			time.Sleep(time.Duration(n) * time.Millisecond)
			return 200, nil, nil
		})
		sessions := []string{"", "a", "b", "c", "d", "e"}
		for range 12 {
			if err := b.loop.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			for range 10 + random.IntN(20) {
				b.happen(domain.LogNotice, sessions[random.IntN(len(sessions))])
				time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			}
			// It dies: what it knew is gone, and what it has not recorded.
			b.memory.mu.Lock()
			b.hook.Epoch++
			b.owned = false
			b.memory.mu.Unlock()
			old := b.loop
			b.loop = b.newLoop(old.cfg.Secrets.Keys)
			old.cut()
			_ = old.Stop(t.Context())
		}
		b.receiver.mu.Lock()
		b.answer = status(204)
		b.receiver.mu.Unlock()
		_ = b.loop.Start(t.Context())
		time.Sleep(30 * time.Hour)
		synctest.Wait()
		_ = b.loop.Stop(t.Context())
		wanted := map[string][]int64{}
		for _, e := range b.events {
			wanted[e.SessionID] = append(wanted[e.SessionID], e.Seq)
		}
		for session, want := range wanted {
			if first := firsts(b.got[session]); !slices.Equal(first, want) {
				t.Errorf("of %q came first %v, and not %v", session, first, want)
			}
		}
		if len(b.lanes) != 0 || b.hook.SentTo != int64(len(b.events)) {
			t.Errorf("in the end: lanes %v, sent to %d of %d", b.lanes, b.hook.SentTo, len(b.events))
		}
	})
}

// firsts are the numbers in the order in which each came first.
func firsts(seqs []int64) (out []int64) {
	seen := map[int64]bool{}
	for _, s := range seqs {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
