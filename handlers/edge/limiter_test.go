package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestRateOfOneKey(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := newLimiter(func() time.Time { return now }, 2, 3)
	for i := range 3 {
		if _, ok := l.Take("a"); !ok {
			t.Fatalf("call %d was refused", i)
		}
	}
	wait, ok := l.Take("a")
	if ok || wait != 500*time.Millisecond {
		t.Errorf("wait %s, %v", wait, ok)
	}
	if _, ok := l.Take("b"); !ok {
		t.Error("another client was rejected")
	}
	now = now.Add(wait)
	if _, ok := l.Take("a"); !ok {
		t.Error("refused after the wait")
	}
	for i := range 2 * maxBuckets {
		l.Take(fmt.Sprint(i))
	}
	if len(l.buckets) > maxBuckets {
		t.Errorf("%d buckets", len(l.buckets))
	}
}

// TestLongBodiesCountMore: who sends bodies of 1 MiB may send fewer of them than requests
// without one, whether a body says how long it is or not.
func TestLongBodiesCountMore(t *testing.T) {
	for _, c := range []struct {
		path   string
		length int64
		cost   float64
	}{
		{"/v1/zones", 0, 1},
		{"/v1/zones", bytesCounted - 1, 1},
		{"/v1/zones", bytesCounted, 2},
		{"/v1/zones", MaxBody, 1 + MaxBody/bytesCounted},
		{"/v1/zones", 1 << 40, 1 + MaxBody/bytesCounted}, // refused, but not for longer than the longest
		{"/v1/zones", -1, 1 + MaxBody/bytesCounted},
		{"/v1/tools/t" + ImportPath, -1, 1 + MaxFile/bytesCounted},
	} {
		r := httptest.NewRequest(http.MethodPost, c.path, nil)
		r.ContentLength = c.length
		if cost := requestCost(r); cost != c.cost {
			t.Errorf("%s with %d bytes costs %g, want %g", c.path, c.length, cost, c.cost)
		}
	}
	now := time.Unix(1_800_000_000, 0)
	l := newLimiter(func() time.Time { return now }, 10, 20)
	if left, _, ok := l.spend("a", 17); !ok || left != 3 {
		t.Errorf("%g left, %v", left, ok)
	}
	if _, wait, ok := l.spend("a", 17); ok || wait != 1400*time.Millisecond {
		t.Errorf("wait %s, %v", wait, ok)
	}
	if _, _, ok := l.spend("b", 1000); !ok {
		t.Error("what costs more than a burst never passes")
	}
}
