package bus

import (
	"database/sql"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func overPostgres(t testing.TB) (url string, a, b *station) {
	t.Helper()
	url = testkit.Postgres(t)
	log := newLog()
	a = newStation(t, "a", &Postgres{URL: url, Log: zerolog.Nop()}, log)
	b = newStation(t, "b", &Postgres{URL: url, Log: zerolog.Nop()}, log)
	acquainted(t, a, b)
	return url, a, b
}

// TestNewsCrossesNodes verifies that a node receives the commits and the cut requests of another node but not its
// own, and that its subscribers get every event once.
func TestNewsCrossesNodes(t *testing.T) {
	_, a, b := overPostgres(t)
	r := b.read("s")
	defer r.Close()
	a.log.commit(a, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s"})
	testkit.Until(t, "the event", func() bool { return r.has(t, "id: 1\n") })
	for range 20 {
		a.log.commit(a, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s"})
	}
	a.log.commit(a, domain.LogEvent{Type: domain.LogQueueChanged})
	a.log.commit(a, domain.LogEvent{Type: domain.LogDataChanged})
	a.Node.Cut("s", 7, errTestStopped)
	a.Node.Yield("s2")
	testkit.Until(t, "all events", func() bool { return r.has(t, "id: 21\n") })
	testkit.Until(t, "the rest", func() bool {
		return b.receivedAll("hint w 23", "queue=true", "forget w", "cut s 7 stopped", "yield s2")
	})
	if n := strings.Count(r.got, "event: message.created"); n != 21 {
		t.Errorf("%d events came, want each of 21 once", n)
	}
	if a.mu.Lock(); len(a.received) > 0 {
		t.Errorf("a node received itself: %v", a.received)
	}
	a.mu.Unlock()
}

// A long text in many alphabets, far over what one message holds, comes whole to who
// joins in the middle; then it becomes a message.
func TestALongAnswerCrosses(t *testing.T) {
	_, a, b := overPostgres(t)
	want := strings.Repeat("häß \"quoted\" \x01 日本語 👍 ", 4000)
	local := a.read("s") // a local reader from the start
	defer local.Close()
	for _, part := range []string{want[:len(want)/2], want[len(want)/2:]} {
		a.broker.Delta("w", "s", "m1", "text", part)
	}
	r := b.read("s")
	defer r.Close()
	whole := func() bool {
		message, text := b.broker.Partial("s")
		return message == "m1" && text == want
	}
	testkit.Until(t, "the whole text", whole)
	if r.has(t, ""); !strings.Contains(r.got, "event: message.snapshot") {
		t.Error("who came in mid-answer got no message.snapshot")
	}
	a.broker.Delta("w", "s", "m1", "text", "the end")
	a.log.commit(a, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s", Message: &domain.Message{ID: "m1"}})
	a.broker.Settle("s", "m1")
	testkit.Until(t, "the message", func() bool { return r.has(t, `"message":{"id":"m1"}`) })
	testkit.Until(t, "the text to be forgotten", func() bool { return b.broker.Load().Answers == 0 })

	a.broker.Delta("w", "s", "m2", "text", "in vain")
	testkit.Until(t, "the next answer", func() bool { return r.has(t, "in vain") })
	a.broker.Discard("w", "s", "m2", "network")
	testkit.Until(t, "it to be called back", func() bool { return r.has(t, "message.discarded") })
}

// TestABrokenConnectionLosesNothing verifies that a node whose connections are killed reconnects and reads
// everything again, that messages sent meanwhile are not lost, and that a streamed text continues where it was.
func TestABrokenConnectionLosesNothing(t *testing.T) {
	url, a, b := overPostgres(t)
	r := b.read("s")
	defer r.Close()
	a.broker.Delta("w", "s", "m1", "text", "one ")
	testkit.Until(t, "the first words", func() bool { return r.has(t, "one ") })
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	swept := b.swept()
	var killed int
	// All but this one: listeners and senders of both nodes.
	row := db.QueryRow("SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err := row.Scan(&killed); err != nil || killed < 3 {
		t.Fatalf("%d connections were killed: %v", killed, err)
	}
	a.log.commit(a, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s"})
	a.broker.Delta("w", "s", "m1", "text", "two")
	testkit.Until(t, "a look at everything", func() bool { return b.swept() > swept })
	testkit.Until(t, "the event", func() bool { return r.has(t, "id: 1\n") })
	testkit.Until(t, "the text", func() bool { _, text := b.broker.Partial("s"); return text == "one two" })
	if n := strings.Count(r.got, "event: message.created"); n != 1 {
		t.Errorf("the event came %d times", n)
	}
}

// A node that stops says good-bye: what it was writing is void, and its sessions are
// looked for at once.
func TestGoodBye(t *testing.T) {
	_, a, b := overPostgres(t)
	r := b.read("s")
	defer r.Close()
	a.broker.Delta("w", "s", "m1", "text", "half a sen")
	testkit.Until(t, "the words", func() bool { return r.has(t, "half a sen") })
	a.end()
	testkit.Until(t, "the good-bye", func() bool { return b.Peers() == 0 && r.has(t, "message.discarded") })
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone != 1 {
		t.Errorf("notified %d times that a node is gone", b.gone)
	}
}

// No payload is larger than PostgreSQL takes, whatever is in it, and what fits nowhere
// is left out without the rest.
func TestPayloadsFit(t *testing.T) {
	var parts []part
	for n := range 400 {
		parts = append(parts, part{Kind: kindText, Session: "s", Text: strings.Repeat("\x02", n%900)})
	}
	parts = append(parts, part{Kind: kindWatching, Sessions: []string{strings.Repeat("x", 9000)}}, part{Kind: kindYield, Session: "last"})
	parcels, err := pack("from", everybody, parts)
	if err == nil {
		t.Error("a part of 9,000 bytes was packed")
	}
	var got []part
	for _, p := range parcels {
		if len(p.Payload) >= 8000 {
			t.Errorf("a payload has %d bytes", len(p.Payload))
		}
		from, some, err := unpack(p.Payload)
		if err != nil || from != "from" {
			t.Fatal(from, err)
		}
		got = append(got, some...)
	}
	if len(got) != 401 || got[400].Session != "last" || got[7].Text != parts[7].Text {
		t.Errorf("%d of 402 parts came", len(got))
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(`{"f":"a","p":[{"k":"hint","hint":{"workspace":"w","seq":3}},{"k":"text","t":"x"}]}`)
	f.Add(`{"f":"a","p":[null]}`)
	f.Fuzz(func(t *testing.T, payload string) {
		if _, _, err := unpack(payload); err != nil {
			return
		}
	})
}

func FuzzFitting(f *testing.F) {
	f.Add(strings.Repeat("é\x00", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || !utf8.ValidString(text) {
			return
		}
		some := fitting([]byte(text))
		if len(some) == 0 || !strings.HasPrefix(text, string(some)) || !utf8.Valid(some) {
			t.Fatalf("%d of %d bytes", len(some), len(text))
		}
	})
}
