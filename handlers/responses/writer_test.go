package responses

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// attempt is one call of the AI in a round: what it streamed, and what is in the record of
// it; "" when it broke off.
type attempt struct{ streamed, stored string }

func phaseEvent(p domain.Phase) api.Event {
	return api.Event{Name: string(domain.LogSessionPhase), Phase: &api.SessionPhaseData{Phase: p, RoundID: new("rnd")}}
}

// happens are the events of a round as a listener gets them who is there from the beginning:
// live with the pieces of the text, else those of the log alone.
func happens(t *rapid.T, attempts []attempt, live bool) []*api.Event {
	seq := int64(3)
	logged := func(e api.Event) *api.Event { seq++; e.SessionSeq = seq; return &e }
	all := []*api.Event{logged(api.Event{Name: string(domain.LogMessageCreated), Message: &api.Message{ID: "msg_q", RoundID: new("rnd")}})}
	for i, a := range attempts {
		id := fmt.Sprint("msg_", i)
		called := logged(phaseEvent(domain.CallingAI))
		var pieces []*api.Event
		for offset, rest := 0, a.streamed; live && rest != ""; {
			piece := skipped(rest, rapid.IntRange(1, 5).Draw(t, "piece"))
			pieces = append(pieces, &api.Event{Name: stream.EventDelta, Text: &api.MessageDeltaData{
				Kind: stream.KindText, MessageID: id, Offset: offset, Text: piece,
			}})
			offset, rest = offset+utf8.RuneCountInString(piece), rest[len(piece):]
		}
		late := rapid.IntRange(0, len(pieces)).Draw(t, "pieces that overtook the log") // as on another node
		all = append(append(append(all, pieces[:late]...), called), pieces[late:]...)
		switch {
		case a.stored != "":
			all = append(all, logged(api.Event{Name: string(domain.LogMessageCreated), Message: &api.Message{
				ID: id, RoundID: new("rnd"), Sender: api.MessageSenderAI, Status: api.MessageStatusStored, TextContent: &a.stored,
			}}))
		case live && rapid.Bool().Draw(t, "a discarded event"):
			all = append(all, &api.Event{Name: stream.EventDiscarded, Discarded: &api.MessageDiscardedData{MessageID: id}})
		}
	}
	return append(all, logged(phaseEvent(domain.Idle)))
}

// skipped is the beginning of a text, n characters of it.
func skipped(text string, n int) string { return text[:len(text)-len(skipRunes(text, n))] }

// client puts a stream together as programs do: by the place in the output.
type client struct {
	last  int64
	texts []string
	end   *response
}

func (c *client) take(t *rapid.T, e *event) {
	if e.Number <= c.last {
		t.Fatalf("behind the number %d comes %d, %s", c.last, e.Number, e.Type)
	}
	switch c.last = e.Number; e.Type {
	case "response.output_item.added":
		if e.index > len(c.texts) {
			t.Fatalf("item %d comes when there are %d", e.index, len(c.texts))
		}
		c.texts = append(slices.Clone(c.texts[:e.index]), "")
	case "response.output_text.delta":
		c.texts[e.index] += e.Delta
	case "response.output_item.done":
		if len(e.Item.Content) == 0 {
			c.texts[e.index] = ""
		} else if e.Item.Content[0].Text != c.texts[e.index] {
			t.Fatalf("item %d is %q, and the client holds %q", e.index, e.Item.Content[0].Text, c.texts[e.index])
		}
	case "response.completed":
		c.end = new(*e.Response)
		c.texts = c.texts[:min(len(c.texts), len(c.end.Output))] // a last one that broke off has no place
	}
}

// listener passes events to a client that takes some of them.
type listener struct {
	rounds.Wire
	client *client
	t      *rapid.T
	filter events
	upTo   int
}

func (l *listener) send(e *event) {
	if l.filter.wants(e) && l.upTo > 0 {
		l.upTo--
		l.client.take(l.t, e)
	}
}

// listens sends events to a client, up to a number of the response's.
func (c *client) listens(t *rapid.T, happened []*api.Event, upTo int) {
	x := &rounds.Round{Found: rounds.Found{Session: "ses_1", Placed: &domain.Message{ID: "msg_q", Seq: 9}}}
	teller := newWriter(x, metadata{})
	teller.eventStream = &listener{client: c, t: t, filter: events{after: c.last}, upTo: upTo}
	for _, e := range happened[1:] { // the message itself is no part of its answer
		teller.Event(e)
		x.Outcome.EndSeq = max(x.Outcome.EndSeq, e.SessionSeq)
	}
	teller.end(nil)
}

// TestNumbersAreThoseOfTheLog: however a text is split, however often a call breaks off, and wherever a
// client disconnects: with the events of the log after its number it has the text of the record, and each
// item once.
func TestNumbersAreThoseOfTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringOfN(rapid.RuneFrom([]rune("abé∀𝄐 ")), 1, 20, -1)
		attempts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) attempt {
			switch rapid.IntRange(0, 3).Draw(t, "ends") {
			case 0:
				return attempt{streamed: words.Draw(t, "void")}
			case 1:
				return attempt{}
			}
			whole := words.Draw(t, "whole")
			return attempt{skipped(whole, rapid.IntRange(0, 25).Draw(t, "streamed")), whole}
		}), 1, 6).Draw(t, "attempts")
		var want []string
		for _, a := range attempts {
			if a.stored != "" {
				want = append(want, a.stored)
			}
		}
		live, logged := happens(t, attempts, true), happens(t, attempts, false)
		there := &client{last: allEvents}
		there.listens(t, live, 1<<30)
		for left := range 40 {
			c := &client{last: allEvents}
			c.listens(t, live, left)
			c.listens(t, logged, 1<<30)
			for _, x := range []*client{there, c} {
				if x.end == nil || x.last != there.last || !slices.Equal(x.texts, want) || len(x.end.Output) != len(want) {
					t.Fatalf("left after %d, the client holds %q of %q: %+v", left, x.texts, want, x.end)
				}
			}
		}
	})
}
