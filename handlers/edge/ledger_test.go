package edge

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// Who asks for more than there is room for waits, in order, and no longer than patience;
// what others hold in other accounts is no matter.
func TestLedgerHoldsItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		mine, theirs := []Account{{Name: "key a", limit: 10}, {Name: "workspace", limit: 15}}, []Account{{Name: "key b", limit: 10}, {Name: "workspace", limit: 15}}
		first := l.Reserve(t.Context(), 8, time.Second, mine...)
		if first == nil {
			t.Fatal("an empty account has no room")
		}
		began := time.Now()
		if l.Reserve(t.Context(), 3, time.Second, mine...) != nil || time.Since(began) != time.Second {
			t.Fatalf("granted beyond the bound, or after %s", time.Since(began))
		}
		if l.Reserve(t.Context(), 7, time.Second, theirs...) == nil {
			t.Fatal("another key has no room")
		}
		if l.Reserve(t.Context(), 1, time.Second, theirs...) != nil {
			t.Fatal("granted beyond the bound of the workspace")
		}
		done := make(chan *Hold)
		for range 2 {
			go func() { done <- l.Reserve(t.Context(), 2, time.Minute, mine...) }()
		}
		synctest.Wait()
		first.Resize(4) // it was less than thought: there is room for both
		for range 2 {
			if h := <-done; h == nil {
				t.Fatal("not granted when there was room")
			}
		}
		first.Release()
		first.Release()
	})
}

// A claim that is larger than its account is granted when that one is empty; one that was
// given up leaves nothing behind; nothing at all is held at the end.
func TestLedgerForgetsWhatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, a := newLedger(), Account{Name: "key a", limit: 10}
		large := l.Reserve(t.Context(), 100, 0, a)
		if large == nil {
			t.Fatal("a large one never comes to its turn")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if l.Reserve(ctx, 1, time.Hour, a) != nil {
			t.Fatal("granted to a request that was cancelled")
		}
		forced := l.Take(5, a) // does not wait
		large.Release()
		if l.Reserve(t.Context(), 6, 0, a) != nil {
			t.Fatal("what was taken without asking does not count")
		}
		forced.Release()
		(*Hold)(nil).Release()
		if len(l.held)+len(l.waiting) > 0 {
			t.Errorf("left behind: %v, %d waiting", l.held, len(l.waiting))
		}
	})
}

// TestPixelsCountAsBytesDo: a picture of few bytes and many pixels costs its key what it costs the server.
func TestPixelsCountAsBytesDo(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	e := New(Config{Clock: func() time.Time { return now }, RateLimits: RateLimits{PerSecond: 100, Burst: 1000}}, nil)
	caller := func(role domain.Role, name string) *exchange {
		return &exchange{ResponseWriter: httptest.NewRecorder(), Context: t.Context(), edge: e, Outcome: Outcome{who: &auth.Identity{Role: role, Name: name}}}
	}
	const large = 50_000_000
	a := caller(domain.RoleMember, "key_a")
	if err := SpendPixels(a, large); err != nil {
		t.Error(err)
	}
	if err := SpendPixels(a, large); domain.ErrorCode(err) != codeRateLimited || a.Header().Get("Retry-After") == "" {
		t.Errorf("a second one at once: %v, %v", err, a.Header())
	}
	if err := SpendPixels(a, 40*40); err != nil {
		t.Errorf("a small one: %v", err)
	}
	for _, other := range []*exchange{caller(domain.RoleMember, "key_b"), caller(domain.RoleRoot, auth.NameRoot)} {
		if err := SpendPixels(other, large); err != nil {
			t.Errorf("another caller: %v", err)
		}
	}
	if err := SpendPixels(t.Context(), large); err != nil {
		t.Errorf("without a request: %v", err)
	}
}

// Of bodies that grow in one account the oldest comes to its end, however full the account is.
func TestTheOldestBodyComesToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		own := Account{Name: "a", limit: 10, whose: thisKey}
		first, second := l.Open(own), l.Open(own)
		if first.grow(t.Context(), 6, 0) != nil || second.grow(t.Context(), 4, 0) != nil {
			t.Fatal("an account that is not full has no room")
		}
		if full := second.grow(t.Context(), 1, time.Second); full == nil || full.whose != thisKey {
			t.Errorf("the later one grows beyond the limit: %+v", full)
		}
		if first.grow(t.Context(), 100, 0) != nil {
			t.Error("the oldest one waits")
		}
		grown := make(chan *Account)
		go func() { grown <- second.grow(t.Context(), 20, time.Minute) }()
		synctest.Wait()
		first.Release()
		if <-grown != nil {
			t.Error("the next one is not the oldest now")
		}
		second.Release()
		second.Release()
		if len(l.held)+len(l.waiting)+len(l.growing) > 0 {
			t.Errorf("left behind: %v, %v", l.held, l.growing)
		}
	})
}
