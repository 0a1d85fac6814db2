package bus

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// memoryWire is a wire within the process, which can be cut.
type memoryWire struct {
	net  *memoryNet
	own  string
	mine func(string)
}

type memoryNet struct {
	mu    sync.Mutex
	wires map[*memoryWire]bool
	dead  bool
}

func (n *memoryNet) cut(dead bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead = dead
}

func (w *memoryWire) Start(_ context.Context, channels []string, received func(string), missed func()) error {
	w.own, w.mine = channels[1], received
	w.net.mu.Lock()
	w.net.wires[w] = true
	w.net.mu.Unlock()
	missed()
	return nil
}

func (w *memoryWire) Send(_ context.Context, parcels []Parcel) error {
	w.net.mu.Lock()
	defer w.net.mu.Unlock()
	if w.net.dead {
		return nil // lost without a word
	}
	for _, p := range parcels {
		for other := range w.net.wires {
			if p.Channel == everybody || p.Channel == other.own {
				go other.mine(p.Payload)
			}
		}
	}
	return nil
}

func (w *memoryWire) Stop(context.Context) error {
	w.net.mu.Lock()
	defer w.net.mu.Unlock()
	delete(w.net.wires, w)
	return nil
}

// Hints are lost: an event is late by the poll at most, a node that is received of no more
// is forgotten, and when the wire is back the two find each other again.
func TestALostHintOnlyDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, log := &memoryNet{wires: map[*memoryWire]bool{}}, newLog()
		a, b := newStation(t, "a", &memoryWire{net: net}, log), newStation(t, "b", &memoryWire{net: net}, log)
		synctest.Wait()
		time.Sleep(time.Second)
		if a.Peers() != 1 || b.Peers() != 1 {
			t.Fatal("the nodes do not know each other")
		}
		r := b.read("s")
		defer r.Close()
		log.commit(a, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s"})
		time.Sleep(100 * time.Millisecond)
		if !r.has(t, "id: 1\n") {
			t.Fatal("a hint did not come")
		}
		net.cut(true)
		begun := time.Now()
		log.commit(a, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s"})
		for !r.has(t, "id: 2\n") {
			if time.Since(begun) > 6*time.Second {
				t.Fatal("an event whose hint was lost did not come with the poll")
			}
			time.Sleep(100 * time.Millisecond)
		}
		if time.Since(begun) < time.Second {
			t.Error("the hint was not lost: the test shows nothing")
		}
		time.Sleep(2 * forgetAfter)
		if a.Peers() != 0 || b.Peers() != 0 || b.gone != 1 {
			t.Errorf("after a long silence: %d and %d peers", a.Peers(), b.Peers())
		}
		net.cut(false)
		time.Sleep(2 * helloEvery)
		if a.Peers() != 1 || b.Peers() != 1 || !a.Watched("s") {
			t.Error("the nodes did not find each other again")
		}
		a.end()
		b.end()
	})
}

// Both were away, and what one asked the other to say again was lost with the rest: who
// comes back says again what it is writing, without being asked.
func TestWhatWasAskedForIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, log := &memoryNet{wires: map[*memoryWire]bool{}}, newLog()
		a, b := newStation(t, "a", &memoryWire{net: net}, log), newStation(t, "b", &memoryWire{net: net}, log)
		time.Sleep(time.Second)
		r := b.read("s")
		defer r.Close()
		time.Sleep(time.Second)
		a.broker.Delta("w", "s", "m1", "text", "one ")
		time.Sleep(time.Second)
		net.cut(true)
		a.broker.Delta("w", "s", "m1", "text", "two")
		b.missed() // its request is lost
		time.Sleep(time.Second)
		net.cut(false)
		if _, text := b.broker.Partial("s"); text == "one two" {
			t.Fatal("the text was not lost: the test shows nothing")
		}
		a.missed()
		time.Sleep(time.Second)
		if _, text := b.broker.Partial("s"); text != "one two" {
			t.Errorf("the text is %q", text)
		}
		a.end()
		b.end()
	})
}

// TestInvalidMessagesAreIgnored verifies that a message that is invalid or has no sender does not register a node.
func TestInvalidMessagesAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newStation(t, "a", &memoryWire{net: &memoryNet{wires: map[*memoryWire]bool{}}}, newLog())
		for _, payload := range []string{"", "hello", `{"f":`, `{}`, `{"p":[{"k":"hello"}]}`} {
			if a.receive(payload); a.Peers() != 0 || a.Counts().Received != 0 {
				t.Errorf("%q: %d nodes, %d messages", payload, a.Peers(), a.Counts().Received)
			}
		}
		a.end()
	})
}
