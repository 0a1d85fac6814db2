package oidc

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	answersWithin = 10 * time.Second
	// After a failure, the issuer is requested again after askAgain, or after askSeldom if an older response is still
	// usable: invented key ids must not make this server flood the issuer.
	askAgain  = 5 * time.Second
	askSeldom = 30 * time.Second
	// longest is the maximum age of a response while the issuer is not available.
	longest = 24 * time.Hour
)

// kept is a cached response of the issuer. It is requested when it is needed, by one goroutine at a time.
type kept[T any] struct {
	clock clock.Clock
	fresh time.Duration // TTL
	ask   func(ctx context.Context) (T, error)

	mu      sync.Mutex
	has     bool
	value   T
	got     time.Time
	asked   time.Time
	failure error
	asking  chan struct{} // closed when the request in progress has ended
}

// get returns the response. If it is not enough, it is requested again before its TTL ends; the new one may not be
// enough either.
func (k *kept[T]) get(ctx context.Context, enough func(T) bool) (T, error) {
	for {
		value, wait, err := k.look(enough)
		switch {
		case wait == nil:
			return value, err
		case wait.mine:
			return k.fetch(ctx, wait.done)
		}
		select {
		case <-wait.done:
		case <-ctx.Done():
			return value, ctx.Err() //nolint:wrapcheck // the caller has disconnected
		}
	}
}

// waiting is a request in progress; mine: the caller has to make it.
type waiting struct {
	done chan struct{}
	mine bool
}

func (k *kept[T]) look(enough func(T) bool) (T, *waiting, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock()
	age, since := now.Sub(k.got), now.Sub(k.asked)
	usable := k.has && age < longest && enough(k.value)
	pause := askAgain
	if k.has {
		pause = askSeldom
	}
	rests := !k.asked.IsZero() && since >= 0 && since < pause
	switch {
	case usable && (rests || age >= 0 && age < k.fresh):
		return k.value, nil, nil
	case k.asking != nil && usable:
		return k.value, nil, nil
	case k.asking != nil:
		return k.value, &waiting{done: k.asking}, nil
	case rests && k.has && age < longest:
		return k.value, nil, nil // not enough: the issuer has no more than this
	case rests && k.failure != nil:
		return k.value, nil, k.failure
	}
	k.asked, k.asking = now, make(chan struct{})
	return k.value, &waiting{k.asking, true}, nil
}

// fetch does not end with the request that was the first to ask: others wait for it too.
func (k *kept[T]) fetch(ctx context.Context, done chan struct{}) (T, error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), answersWithin)
	defer cancel()
	value, err := k.ask(within)
	k.mu.Lock()
	defer k.mu.Unlock()
	defer close(done)
	k.asking, k.failure = nil, err
	k.asked = k.clock() // the rest begins when an issuer that hangs has used up its time, not before
	if err == nil {
		k.value, k.has, k.got = value, true, k.clock()
	}
	if !k.has || k.clock().Sub(k.got) >= longest {
		return k.value, err
	}
	return k.value, nil
}
