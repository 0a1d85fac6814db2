package picture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// One owner's pictures wait for each other; another's waits for one of them at most, however many came
// before it. What is decoded together keeps within the memory of one.
func TestOneOwnerBlocksNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewReader()
		var (
			mu    sync.Mutex
			ended []string
			all   sync.WaitGroup
		)
		began := time.Now()
		decode := func(owner string, memory int64) {
			done, err := r.enter(t.Context(), owner, memory)
			if err != nil {
				t.Error(err)
				return
			}
			r.mu.Lock()
			if len(r.owners) > maxReaders || r.memory > maxMemory {
				t.Errorf("%v are decoded, in %d bytes", r.owners, r.memory)
			}
			r.mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			ended = append(ended, fmt.Sprint(owner, " ", time.Since(began)))
			mu.Unlock()
			done()
		}
		for _, p := range []struct {
			owner  string
			memory int64
		}{
			{"greedy", 1}, {"greedy", 1}, {"greedy", 1}, {"greedy", 1}, {"b", 1}, {"c", 1}, {"large", maxMemory}, {"d", 1},
		} {
			all.Go(func() { decode(p.owner, p.memory) })
			synctest.Wait() // they come in this order
		}
		all.Wait()
		want := []string{"b 1s", "c 2s", "d 4s", "greedy 1s", "greedy 2s", "greedy 4s", "greedy 5s", "large 3s"}
		if slices.Sort(ended); !slices.Equal(ended, want) {
			t.Errorf("%v, want %v", ended, want)
		}
		if len(r.owners)+len(r.waiting) > 0 || r.memory != 0 {
			t.Errorf("left behind: %v, %d waiting, %d bytes", r.owners, len(r.waiting), r.memory)
		}
	})
}

// Who leaves while they wait leaves nothing behind; what may not be decoded is not waited for.
func TestWhoLeavesGivesUpTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewReader()
		done, err := r.enter(t.Context(), "a", maxMemory)
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := r.Read(ctx, "a", asPNG(halves(8, 8)), free)
			left <- err
		}()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		broke := errors.New("nothing is left")
		spent := int64(0)
		if _, err := r.Read(t.Context(), "b", asPNG(halves(8, 6)), func(n int64) error { spent = n; return broke }); !errors.Is(err, broke) || spent != 48 {
			t.Errorf("%d pixels, %v", spent, err)
		}
		done()
		if _, err := r.Read(t.Context(), "a", asPNG(halves(8, 8)), free); err != nil || len(r.owners)+len(r.waiting) > 0 {
			t.Errorf("%v, %v, %d waiting", err, r.owners, len(r.waiting))
		}
	})
}
