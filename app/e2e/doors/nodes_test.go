package doors

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// twoNodes are two servers on one PostgreSQL that know each other.
func twoNodes(t *testing.T, change ...func(*app.Config)) (a, b *server) {
	t.Helper()
	db := harness.Databases["postgres"](t)
	named := func(name string) []func(*app.Config) {
		return append([]func(*app.Config){func(f *app.Config) { f.NodeID = name }}, change...)
	}
	a, b = newServer(t, db, named("a")...), newServer(t, db, named("b")...)
	for _, s := range []*server{a, b} {
		testkit.Until(t, "the nodes to know each other", func() bool { return s.Parts.Node.Peers() == 1 })
	}
	return a, b
}

// slowly writes an answer of many words, one every few milliseconds.
func slowly(words int, every float64) (steps, text string) {
	text = strings.TrimSpace(strings.Repeat("word ", words))
	encoded, _ := json.Marshal([]map[string]any{{"answer": map[string]any{"text": text}, "token_delay_ms": every}})
	return string(encoded), text
}

// next waits for an event of one of these names.
func next(t testing.TB, events <-chan harness.Event, names ...string) harness.Event {
	t.Helper()
	deadline := time.After(15 * time.Second)
	for {
		select {
		case e, open := <-events:
			if !open {
				t.Fatalf("the stream ended before %v came", names)
			}
			if slices.Contains(names, e.Name) {
				return e
			}
		case <-deadline:
			t.Fatalf("no event %v came", names)
		}
	}
}

type textEvent struct {
	MessageID string `json:"message_id"`
	Offset    int    `json:"offset"`
	Text      string `json:"text"`
}

func textOf(t testing.TB, e harness.Event) textEvent {
	t.Helper()
	var text textEvent
	if err := json.Unmarshal([]byte(e.Data), &text); err != nil {
		t.Fatalf("%s: %v", e.Data, err)
	}
	return text
}

// A chat is driven on one node and read on the other, word by word; who joins there in
// mid-answer gets what there is, and every event of the log comes once.
func TestAnAnswerIsReadOnAnotherNode(t *testing.T) {
	a, b := twoNodes(t)
	steps, want := slowly(80, 10)
	a.Scripted(steps)
	id := a.Chat()
	first, _ := b.Listen("/v1/sessions/" + id + "/events?after=0")
	next(t, first, "session.created")
	testkit.Until(t, "the watcher to be known", func() bool { return a.Parts.Node.Watched(id) })
	a.Call("POST", "/v1/sessions/"+id+"/messages", map[string]any{"text": "go"}).Want(202)

	piece := textOf(t, next(t, first, "message.delta"))
	if piece.Offset != 0 {
		t.Fatalf("the first delta begins at %d", piece.Offset)
	}
	second, _ := b.Listen("/v1/sessions/" + id + "/events")
	third, _ := a.Listen("/v1/sessions/" + id + "/events")
	for name, events := range map[string]<-chan harness.Event{"there": second, "here": third} {
		e := next(t, events, "message.snapshot", "message.created")
		if e.Name != "message.snapshot" {
			t.Fatalf("who joined %s in mid-answer got no message.snapshot", name)
		}
	}
	text, deltas := piece.Text, 1
	for {
		e := next(t, first, "message.delta", "message.created", "message.discarded")
		if e.Name == "message.created" {
			if !strings.Contains(e.Data, `"sender":"AI"`) {
				continue
			}
			if !strings.Contains(e.Data, piece.MessageID) || !strings.Contains(e.Data, want) {
				t.Fatalf("the message is not what was streamed: %s", e.Data)
			}
			break
		}
		got := textOf(t, e)
		if e.Name == "message.discarded" || got.Offset != len(text) {
			t.Fatalf("after %d characters came %s %s", len(text), e.Name, e.Data)
		}
		text += got.Text
		deltas++
	}
	if !strings.HasPrefix(want, text) || len(text) < len(want)/2 || deltas < 3 {
		t.Errorf("%d of %d characters came, in %d deltas", len(text), len(want), deltas)
	}
	b.Settle(id)
	testkit.Until(t, "the text to be forgotten", func() bool { return b.Parts.Broker.Load().Answers == 0 && a.Parts.Broker.Load().Answers == 0 })
}

// Any node takes an interrupt; what was received so far, on the node that calls, is kept.
func TestAnInterruptGivenToAnotherNodeKeepsTheText(t *testing.T) {
	a, b := twoNodes(t)
	steps, want := slowly(2000, 10)
	a.Scripted(steps)
	id := a.Chat()
	events, _ := a.Listen("/v1/sessions/" + id + "/events")
	a.Call("POST", "/v1/sessions/"+id+"/messages", map[string]any{"text": "go"}).Want(202)
	next(t, events, "message.delta")
	next(t, events, "message.delta")
	b.Call("POST", "/v1/sessions/"+id+"/interrupt", map[string]any{}).Want(200)
	testkit.Until(t, "the driver to let go", func() bool { return a.Parts.Loop.Active() == 0 })
	r := b.Settle(id)
	if r.Str("phase") != "IDLE" {
		t.Fatalf("after the interrupt: %s", r.Body)
	}
	kept := b.LastText(id)
	if kept == "" || !strings.HasPrefix(want, strings.TrimSpace(kept)) {
		t.Errorf("kept: %q", kept)
	}
	if got := b.Record(id); strings.Join(got, " ") != "USER AI(interrupted)" {
		t.Errorf("the record: %v", got)
	}
}

// A stop given to the other node cuts the call at once. A chat that takes the slot there leaves the call of the chat that
// had it here.
func TestASessionDrivenByAnotherNode(t *testing.T) {
	a, b := twoNodes(t)
	steps, _ := slowly(3000, 20)
	a.Scripted(steps)
	id := a.Chat()
	begun := time.Now()
	a.Call("POST", "/v1/sessions/"+id+"/messages", map[string]any{"text": "go"}).Want(202)
	testkit.Until(t, "the driver to begin", func() bool { return a.Parts.Loop.Drives(id) })
	b.Call("POST", "/v1/sessions/"+id+"/stop", map[string]any{}).Want(200)
	testkit.Until(t, "the driver to let go", func() bool { return !a.Parts.Loop.Drives(id) })
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("the cut took %s: as long as the call", took)
	}

	first, other := a.Chat(), b.Chat()
	a.Call("POST", "/v1/sessions/"+first+"/messages", map[string]any{"text": "go"}).Want(202)
	testkit.Until(t, "the driver to begin", func() bool { return a.Parts.Loop.Drives(first) })
	b.Call("POST", "/v1/sessions/"+other+"/messages", map[string]any{"text": "me"}).Want(202)
	testkit.Until(t, "the other chat to have the slot", func() bool { return b.Parts.Loop.Drives(other) })
	if !a.Parts.Loop.Drives(first) {
		t.Error("the call of the first chat was cut")
	}
	a.Call("POST", "/v1/sessions/"+other+"/stop", map[string]any{}).Want(200)
	a.Call("POST", "/v1/sessions/"+first+"/stop", map[string]any{}).Want(200)
	testkit.Until(t, "all to be let go", func() bool { return a.Parts.Loop.Active()+b.Parts.Loop.Active() == 0 })
	for _, i := range a.Call("GET", "/v1/admin/invariants", nil).Want(200).List("data") {
		if m := i.(map[string]any); m["count"].(float64) != 0 {
			t.Errorf("invariant: %v", m)
		}
	}
}

// A ticket that one node made opens a stream on the other, once; the status of either
// shows both, and a heartbeat counts everywhere.
func TestNodesShareWhoMayAndWhoIsThere(t *testing.T) {
	a, b := twoNodes(t, func(f *app.Config) { f.RootKey = harness.RootKey })
	root := []string{"Authorization", "Bearer " + harness.RootKey}
	ticket := a.Call("POST", "/v1/stream-tickets", nil, root...).Want(201).Str("ticket")
	events, _ := b.Listen("/v1/events?ticket=" + ticket)
	next(t, events, "snapshot")
	a.Call("GET", "/v1/events?ticket="+ticket, nil).Problem(401, "unauthenticated")
	b.Call("GET", "/v1/events?ticket="+ticket, nil).Problem(401, "unauthenticated")

	status := b.Call("GET", "/v1/admin/status", nil, root...).Want(200)
	if nodes := status.List("nodes"); len(nodes) != 2 || status.Str("lease_until") == "" {
		t.Fatalf("the status: %s", status.Body)
	}
	for i, name := range []string{"a", "b"} {
		node := status.List("nodes")[i].(map[string]any)
		if node["id"] != name || node["alive"] != true || node["sessions"] != 0.0 {
			t.Errorf("node %s: %v", name, node)
		}
	}
	id := a.Call("POST", "/v1/sessions", map[string]any{"type": "CHAT"}, root...).Want(201).Str("id")
	b.Call("POST", "/v1/heartbeat", map[string]any{"session_ids": []string{id}}, root...).Want(200)
	testkit.Until(t, "the heartbeat to be known", func() bool { return a.Parts.Broker.Watched(id) })

	b.Stop()
	testkit.Until(t, "the good-bye", func() bool { return a.Parts.Node.Peers() == 0 })
	status = a.Call("GET", "/v1/admin/status", nil, root...).Want(200)
	if gone := status.List("nodes")[1].(map[string]any); gone["alive"] != false {
		t.Errorf("the node that was stopped: %v", gone)
	}
}
