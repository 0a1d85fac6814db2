package crash

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// TestAResponsesClientThroughKills: OpenAI's own client requests responses as a whole, in the background, and as
// streams that it resumes from the last number it has, from a server that is killed during answers. No round is
// lost or doubled, and the responses that the client assembles are those in the record.
func TestAResponsesClientThroughKills(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		// A connection for each request: none is left behind by a stream.
		once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		r := &responder{front: front, client: openai.NewClient(
			option.WithBaseURL(front.url+"/v1"), option.WithMaxRetries(30), option.WithHTTPClient(once))}
		var want []string
		for n := 0; h.died() < kills && n < rounds; n++ {
			question, answer := ask(n), front.answer(n)
			want = append(want, recorded(question, answer)...)
			var got string
			switch {
			case strings.HasSuffix(question, usesTool):
				got = r.withTool(question)
			case n%4 == 0:
				got = r.whole(question)
			case n%4 == 2:
				got = r.background(question)
			default:
				got = r.streamed(question, h.kill)
			}
			if got != answer {
				t.Fatalf("round %d: the client holds %q, and should %q", n, got, answer)
			}
		}
		if got := front.record(r.session); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		front.sound()
		h.diedOften(kills, len(want)/2)
	})
}

// responder holds a talk through responses.
type responder struct {
	front   *front
	client  openai.Client
	last    string // the id of the response before
	session string
}

func (r *responder) params(text string) responses.ResponseNewParams {
	in := responses.ResponseNewParams{
		Model: "fermata", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}, Tools: responseTools(),
	}
	if r.last != "" {
		in.PreviousResponseID = openai.String(r.last)
	}
	return in
}

// whole asks for a response as a whole; the SDK repeats.
func (r *responder) whole(text string) string {
	t := r.front.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r.front.strikeWithin(answerTakes)
	defer r.front.spare()
	got, err := r.client.Responses.New(ctx, r.params(text))
	if err != nil {
		t.Fatalf("the client gave up: %v", err)
	}
	r.last, r.session = got.ID, got.Conversation.ID
	return got.OutputText()
}

// background begins a response, and reads it until it is over.
func (r *responder) background(text string) string {
	t := r.front.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in := r.params(text)
	in.Background = openai.Bool(true)
	r.front.strikeWithin(answerTakes)
	defer r.front.spare()
	got, err := r.client.Responses.New(ctx, in)
	for err == nil && (got.Status == responses.ResponseStatusQueued || got.Status == responses.ResponseStatusInProgress) {
		r.front.pause()
		got, err = r.client.Responses.Get(ctx, got.ID, responses.ResponseGetParams{})
	}
	if err != nil {
		t.Fatalf("the client gave up: %v", err)
	}
	if got.Status != responses.ResponseStatusCompleted {
		t.Fatalf("the response is %s", got.Status)
	}
	r.last = got.ID
	return got.OutputText()
}

// streamed assembles a response piece by piece. The server is killed at the fifth event; the client resumes from
// its last number.
func (r *responder) streamed(text string, kill func()) string {
	t := r.front.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	held, id, last, in := []string{}, "", int64(0), r.params(text)
	for try := range maxTries {
		stream := r.open(ctx, in, id, last)
		for n := 0; stream.Next(); n++ {
			if n == 5 && try == 0 {
				kill()
			}
			e := stream.Current()
			if e.Type == "error" {
				break
			}
			if e.SequenceNumber <= last && id != "" {
				t.Fatalf("behind the number %d comes %d, %s", last, e.SequenceNumber, e.Type)
			}
			switch last = e.SequenceNumber; e.Type {
			case "response.created":
				id = e.Response.ID
			case "response.output_item.added":
				held = append(slices.Clone(held[:e.OutputIndex]), "")
			case "response.output_text.delta":
				held[e.OutputIndex] += e.Delta
			case "response.completed":
				if text := e.Response.OutputText(); text != strings.Join(held, "") {
					t.Fatalf("the response is %q, and the client holds %q", text, held)
				}
				r.last = id
			}
		}
		_ = stream.Close()
		if r.last == id && id != "" {
			return strings.Join(held, "")
		}
		r.front.pause()
	}
	t.Fatal("no stream came to its end")
	return ""
}

// open starts or resumes a stream.
func (r *responder) open(ctx context.Context, in responses.ResponseNewParams, id string, last int64) interface {
	Next() bool
	Current() responses.ResponseStreamEventUnion
	Close() error
} {
	if id == "" {
		return r.client.Responses.NewStreaming(ctx, in)
	}
	return r.client.Responses.GetStreaming(ctx, id, responses.ResponseGetParams{StartingAfter: openai.Int(last)})
}
