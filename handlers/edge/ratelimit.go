package edge

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// RateLimits bound what one caller may ask. Zero: the default. The root key and the
// open server on loopback are not bounded, but for their streams: they are the operator's
// own.
type RateLimits struct {
	// What each key may ask, per second (500) and in a burst (1,000): a request counts one,
	// and one more for each bytesCounted of its body.
	PerSecond float64
	Burst     float64
	// Failures limit how often one address may send bad credentials: per
	// second (10), in a burst (1,000). Good ones pass all the same: behind a proxy,
	// everybody has one address.
	FailuresPerSecond float64
	FailuresBurst     float64
	// Hooks bound the calls of one automation's webhook, and those from one address whose
	// token is wrong: per second (10), in a burst (100).
	HooksPerSecond float64
	HooksBurst     float64
	// Event streams that may be open at a time: of one key (100), and from one address
	// (1,000), behind which there may be a proxy with many keys.
	StreamsPerKey     int
	StreamsPerAddress int
	// KeptAnswers bounds the answers that are kept for the Idempotency-Keys of one
	// credential (10,000); each is kept for 24 hours.
	KeptAnswers int
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
	l.StreamsPerKey = cmp.Or(l.StreamsPerKey, 100)
	l.StreamsPerAddress = cmp.Or(l.StreamsPerAddress, 1000)
	l.KeptAnswers = cmp.Or(l.KeptAnswers, 10_000)
	return l
}

const maxBuckets = 20_000

// maxCallbacks bounds the burst of sign-ins that come back from one address and fail. Each of them
// may ask the issuer, which limits this server as a whole.
const maxCallbacks = 50

// bytesCounted is how much of a body counts as a request: reading a body keeps a core busy
// for as long as it is long, so a caller who sends long ones may send fewer.
const bytesCounted = 64 << 10

// requestCost is what a request counts. A body that does not say how long it is counts as
// the longest: it is decided before it is read.
func requestCost(r *http.Request) float64 {
	bytes := r.ContentLength
	if bytes < 0 {
		bytes = bodyLimit(r)
	}
	return 1 + float64(min(bytes, bodyLimit(r))/bytesCounted)
}

// limiter is a set of token buckets, one for each name.
type limiter struct {
	clock       clock.Clock
	rate, burst float64
	policy      []string // the value of the header RateLimit-Policy

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newLimiter(c clock.Clock, rate, burst float64) *limiter {
	policy := fmt.Sprintf(`"default";q=%d;w=%d`, int(burst), int(math.Ceil(burst/rate)))
	return &limiter{clock: c, rate: rate, burst: burst, policy: []string{policy}, buckets: map[string]bucket{}}
}

// Take is spend of one token, for who need not know what is left.
func (l *limiter) Take(name string) (wait time.Duration, ok bool) {
	_, wait, ok = l.spend(name, 1)
	return wait, ok
}

// PutBack returns a token that was taken for a request that turned out to be valid.
func (l *limiter) PutBack(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, known := l.buckets[name]; known {
		b.tokens = min(l.burst, b.tokens+1)
		l.buckets[name] = b
	}
}

// setHeaders writes what is left into the headers of an answer, as the draft of the IETF has it
// (draft-ietf-httpapi-ratelimit-headers-10): the quota and its window, what is left of it,
// and in how many seconds all of it is there again.
func (l *limiter) setHeaders(h http.Header, left float64) {
	h["Ratelimit-Policy"] = l.policy
	h["Ratelimit"] = []string{fmt.Sprintf(`"default";r=%d;t=%d`, int(left), int(math.Ceil((l.burst-left)/l.rate)))}
}

// spend takes so many tokens of name's bucket if they are there, and says how many are left.
// Otherwise it says how long to wait. What costs more than a burst has to find a full bucket.
func (l *limiter) spend(name string, cost float64) (left float64, wait time.Duration, ok bool) {
	cost = min(cost, l.burst)
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
	if b.tokens < cost {
		return b.tokens, time.Duration((cost - b.tokens) / l.rate * float64(time.Second)), false
	}
	b.tokens -= cost
	l.buckets[name] = b
	return b.tokens, 0, true
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

// LimitKey is what a request without credentials is counted under: the peer's address,
// never what a header claims; for IPv6 its /64, which one person has.
func LimitKey(r *http.Request) string { return AddressOf(r.RemoteAddr) }

func AddressOf(remote string) string {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := peer.Addr().Unmap()
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

const (
	// refusalDelay is how long a refusal keeps its caller waiting. Most clients that flood
	// send the next request once they have an answer: without that delay, they would ask for
	// refusals as fast as a core can write them, and everybody else would wait behind those.
	refusalDelay = 100 * time.Millisecond
	// maxRefusalsHeld bounds the requests that are kept waiting; those beyond it are
	// refused at once.
	maxRefusalsHeld = 2000
)

// refusals are those that are kept waiting.
type refusals struct{ held atomic.Int64 }

// TooMany returns the error for a caller over the limit, after refusalDelay.
func (f *refusals) TooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) error {
	if f.held.Add(1) <= maxRefusalsHeld {
		select {
		case <-time.After(refusalDelay):
		case <-r.Context().Done():
		}
	}
	f.held.Add(-1)
	seconds := int(wait/time.Second) + 1
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return domain.Errorf(codeRateLimited, "Too many requests. Try again in %d s.", seconds)
}
