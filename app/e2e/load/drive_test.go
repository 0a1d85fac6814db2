package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// load is how many sessions talk at once, for how long.
type load struct {
	sessions     int
	warm, during time.Duration
	// every is how often each speaks; 0: as soon as it has its answer.
	every time.Duration
	at    func(n int) door // where the nth client is; nil: in a workspace of its own
}

// roundsPerSession is how often a client speaks before it opens another session, so that
// the histories stay as short as those of ordinary chats.
const roundsPerSession = 10

// figures are what was measured under a load.
type figures struct {
	rounds float64 // a second
	took   []time.Duration
	cpu    time.Duration // of the server, for a round
}

// quantile is that of the rounds' times.
func (f *figures) quantile(q float64) time.Duration {
	return f.took[min(len(f.took)-1, int(q*float64(len(f.took))))]
}

// drive puts a load on a server or a floor.
func drive(b *testing.B, p *program, l load) *figures {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	d := &driving{}
	d.opening.Add(l.sessions)
	for w := range l.sessions {
		d.clients.Go(func() {
			if err := d.talk(ctx, l.place(p, w), l.every); err != nil && ctx.Err() == nil {
				d.mu.Lock()
				d.failed = errors.Join(d.failed, err)
				d.mu.Unlock()
			}
		})
	}
	d.opening.Wait() // a thousand sessions take a while
	time.Sleep(l.warm)
	before, begun := p.cpu(b), time.Now()
	d.measure(true)
	time.Sleep(l.during)
	d.measure(false)
	elapsed, used := time.Since(begun), p.cpu(b)-before
	cancel()
	d.clients.Wait()
	if d.failed != nil || len(d.took) == 0 {
		b.Fatalf("%d rounds were measured: %v", len(d.took), d.failed)
	}
	slices.Sort(d.took)
	n := len(d.took)
	return &figures{rounds: float64(n) / elapsed.Seconds(), took: d.took, cpu: used / time.Duration(n)}
}

func (l load) place(p *program, n int) door {
	if l.at != nil {
		return l.at(n)
	}
	return door{url: p.url, workspace: workspaceOf(n)}
}

// driving are the clients of one load.
type driving struct {
	clients sync.WaitGroup
	opening sync.WaitGroup // until each has its first session

	mu        sync.Mutex
	measuring bool
	took      []time.Duration
	failed    error
}

func (d *driving) measure(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.measuring = on
}

// talk goes round after round until the load is over.
func (d *driving) talk(ctx context.Context, at door, every time.Duration) error {
	opened := sync.OnceFunc(d.opening.Done)
	defer opened()
	var next time.Time
	for ctx.Err() == nil {
		t, err := at.newTalker(ctx)
		if err != nil {
			return err
		}
		opened()
		if next.IsZero() && every > 0 {
			d.opening.Wait()
			next = time.Now().Add(rand.N(every))
		}
		for range roundsPerSession {
			time.Sleep(time.Until(next))
			begun := time.Now()
			next = begun.Add(every)
			if err = t.round(ctx); err != nil {
				break
			}
			d.add(time.Since(begun))
		}
		t.close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *driving) add(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.measuring {
		d.took = append(d.took, took)
	}
}
