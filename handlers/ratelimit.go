package handlers

import (
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// RateLimits bound what one caller may ask. Zero: the default. The root key and the
// open server on loopback are not bounded: they are the operator's own.
type RateLimits struct {
	PerSecond float64 // for each key; 500
	Burst     float64 // for each key; 1,000
	// Failures bound how often one address is told that its credentials are bad: per
	// second (10), in a burst (1,000). Good ones pass all the same: behind a proxy,
	// everybody has one address.
	FailuresPerSecond float64
	FailuresBurst     float64
	// Hooks bound the calls of one automation's webhook, and those from one address whose
	// token is wrong: per second (10), in a burst (100).
	HooksPerSecond float64
	HooksBurst     float64
}

func (l RateLimits) orDefault() RateLimits {
	set := func(v *float64, to float64) {
		if *v == 0 {
			*v = to
		}
	}
	set(&l.PerSecond, 500)
	set(&l.Burst, 1000)
	set(&l.FailuresPerSecond, 10)
	set(&l.FailuresBurst, 1000)
	set(&l.HooksPerSecond, 10)
	set(&l.HooksBurst, 100)
	return l
}

const maxBuckets = 20_000

// limiter is a set of token buckets, one for each name.
type limiter struct {
	clock       clock.Clock
	rate, burst float64

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newLimiter(c clock.Clock, rate, burst float64) *limiter {
	return &limiter{clock: c, rate: rate, burst: burst, buckets: map[string]bucket{}}
}

// take spends a token of name's bucket if there is one. Otherwise it says how long to
// wait.
func (l *limiter) take(name string) (wait time.Duration, ok bool) {
	now := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known := l.buckets[name]
	if !known {
		b = bucket{l.burst, now}
		if len(l.buckets) >= maxBuckets {
			l.sweep(now)
		}
	}
	b = l.filled(b, now)
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / l.rate * float64(time.Second)), false
	}
	b.tokens--
	l.buckets[name] = b
	return 0, true
}

func (l *limiter) filled(b bucket, now time.Time) bucket {
	b.tokens = min(l.burst, b.tokens+l.rate*max(now.Sub(b.at).Seconds(), 0))
	b.at = now
	return b
}

// sweep drops those who have been quiet; if there are none, all: the bound on memory
// comes first.
func (l *limiter) sweep(now time.Time) {
	for name, b := range l.buckets {
		if l.filled(b, now).tokens >= l.burst {
			delete(l.buckets, name)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// address is whom a request without a name is counted for: the address of the
// connection, never what a header claims; of IPv6 the network, which one person has.
func address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := peer.Addr().Unmap()
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

func tooMany(w http.ResponseWriter, wait time.Duration) error {
	seconds := int(wait/time.Second) + 1
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return domain.Errorf(CodeRateLimited, "Too many requests. Try again in %d s.", seconds)
}
