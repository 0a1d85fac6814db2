package stream

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/suite"
)

// client is a listener as a browser is one: it keeps the last id and comes back.
type client struct {
	filter Filter
	reader *Reader
	cursor int64
	got    []int64
}

func (c *client) connect(t *testing.T, b *Broker, log *suite.MemoryLog) {
	c.reader = b.Reader(log, c.filter)
	if err := c.reader.Seek(t.Context(), c.cursor); err != nil {
		t.Fatalf("cursor %d: %v", c.cursor, err)
	}
}

func (c *client) leave() {
	if c.reader != nil {
		c.reader.Close()
		c.reader = nil
	}
}

// read takes at most n helpings, as a slow reader does.
func (c *client) read(t *testing.T, n int) {
	for range n {
		events, more, err := c.reader.Next(t.Context())
		for _, e := range events {
			if e.Seq > 0 {
				c.cursor = e.Seq
				c.got = append(c.got, c.cursor)
			}
		}
		if errors.Is(err, ErrSlow) {
			c.leave()
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// Whatever happens to hints and connections, what a client has in the end is what
// the log says, in order, nothing twice and nothing missing.
func TestWhatAListenerGotIsTheLog(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { listen(t, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

func listen(t *testing.T, random *rand.Rand) {
	b, log := started(t, Config{}), suite.NewMemoryLog()
	clients := []*client{
		{filter: Filter{Workspace: "w"}},
		{filter: Filter{Workspace: "w", Session: "a"}},
		{filter: Filter{Workspace: "w", Session: "b"}},
		{filter: Filter{Workspace: "w", Sessions: []string{"a"}}},
		{filter: Filter{Workspace: "w", Types: []string{"message.created"}}},
	}
	types := []domain.LogType{domain.LogMessageCreated, domain.LogSessionPhase, domain.LogSlotChanged, domain.LogSessionStatus}
	var delayed [][]*domain.LogEvent
	for range 400 {
		switch random.IntN(10) {
		case 0, 1, 2, 3:
			var batch []*domain.LogEvent
			for range 1 + random.IntN(4)*random.IntN(60) {
				e := event([]string{"a", "b"}[random.IntN(2)], types[random.IntN(len(types))])
				if !e.Type.OfSession() {
					e.SessionID = ""
				}
				batch = append(batch, e)
			}
			batch = log.Append(batch...)
			switch random.IntN(5) {
			case 0: // lost
			case 1:
				delayed = append(delayed, batch)
			default:
				b.Publish(batch)
			}
		case 4:
			if len(delayed) > 0 {
				i := random.IntN(len(delayed))
				b.Publish(delayed[i])
				delayed[i] = delayed[len(delayed)-1]
				delayed = delayed[:len(delayed)-1]
			}
		case 5:
			b.Delta("w", "a", fmt.Sprint("m", random.IntN(3)), KindText, "text")
		case 6:
			time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
			synctest.Wait()
		case 7:
			clients[random.IntN(len(clients))].leave()
		default:
			c := clients[random.IntN(len(clients))]
			if c.reader == nil {
				c.connect(t, b, log)
			}
			c.read(t, random.IntN(4))
		}
	}
	for _, c := range clients {
		c.leave()
		c.connect(t, b, log)
		c.read(t, 1000)
		c.leave()
		var want []int64
		for _, e := range log.All() {
			if c.filter.Wants(e.Type, e.SessionID) {
				want = append(want, e.Seq)
			}
		}
		if !reflect.DeepEqual(c.got, want) {
			t.Errorf("%+v got %v\nwant %v", c.filter, c.got, want)
		}
	}
	b.Settle("a", "m0")
	b.Settle("a", "m1")
	b.Settle("a", "m2")
	if load := b.Load(); load != (Load{}) {
		t.Errorf("left behind: %+v", load)
	}
}

// Without coming back: a listener that stays gets it all live.
func TestWhatAListenerThatStaysGotIsTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		b, log := started(t, Config{}), suite.NewMemoryLog()
		c := &client{filter: Filter{Workspace: "w"}}
		c.connect(t, b, log)
		defer func() { c.leave() }()
		var back [][]*domain.LogEvent
		for i := range 2000 {
			back = append(back, log.Append(event("a", domain.LogNotice)))
			if random.IntN(3) > 0 {
				random.Shuffle(len(back), func(i, j int) { back[i], back[j] = back[j], back[i] })
				for _, batch := range back {
					if random.IntN(50) > 0 {
						b.Publish(batch)
					}
				}
				back = nil
			}
			if i%7 == 0 {
				time.Sleep(gather / 2)
				synctest.Wait()
				c.read(t, 10)
			}
		}
		b.Hint("w", newestOf(t, log))
		c.read(t, 10)
		if len(c.got) != 2000 || c.got[0] != 1 || c.got[1999] != 2000 {
			t.Errorf("got %d events", len(c.got))
		}
	})
}

func TestSeek(t *testing.T) {
	b, log := New(Config{}), suite.NewMemoryLog()
	for range 10 {
		log.Append(event("old", domain.LogNotice), event("live", domain.LogNotice))
	}
	at := func(f Filter, after int64) []string {
		f.Workspace = "w"
		r := b.Reader(log, f)
		defer r.Close()
		if err := r.Seek(t.Context(), after); err != nil {
			return []string{err.Error()}
		}
		return drain(t, r)
	}
	reset := []string{ErrReset.Error()}
	same := func(what string, got, want []string) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	same("the end", at(Filter{}, 20), nil)
	same("the future", at(Filter{}, 21), reset)
	same("nonsense", at(Filter{}, -1), reset)
	same("the last", at(Filter{Session: "live"}, 18), []string{"20:notice"})

	log.Prune(14, "live")
	same("a pruned workspace", at(Filter{}, 0), reset)
	same("behind what was pruned", at(Filter{Types: []string{"notice"}}, 17), []string{"18:notice", "19:notice", "20:notice"})
	same("a session that is kept", at(Filter{Session: "live"}, 16), []string{"18:notice", "20:notice"})
	if got := at(Filter{Session: "live"}, 0); len(got) != 10 {
		t.Errorf("the whole session: %v", got)
	}
	log.Prune(14, "")
	same("a pruned session", at(Filter{Session: "old"}, 1), reset)
	same("the rest of a pruned session", at(Filter{Session: "old"}, 14), []string{"15:notice", "17:notice", "19:notice"})
	log.Prune(20, "")
	same("nothing left", at(Filter{}, 3), reset)
	same("nothing left of the session", at(Filter{Session: "old"}, 3), reset)
	same("nothing missed", at(Filter{Session: "old"}, 20), nil)
}
