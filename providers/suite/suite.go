package suite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

const key = "sk-suite-0123456789abcdef"

// promptly is the most that a cancelled call may take to return, on a busy machine.
const promptly = 5 * time.Second

// fixture is a provider in front of a server that gives one reply.
type fixture struct {
	wire     Wire
	provider providers.Provider
	deltas   map[providers.DeltaKind]string
	onDelta  func(providers.Delta)
}

func start(t *testing.T, wire Wire, reply Reply) *fixture {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if reply.Status == 0 {
			wire.Write(w, r, body, reply)
			return
		}
		reply.send(w)
	}))
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return &fixture{wire: wire, provider: wire.New(t, server.URL, key, client), deltas: map[providers.DeltaKind]string{}}
}

func (f *fixture) query(ctx context.Context, streamed bool) (*providers.Answer, error) {
	request := &providers.Request{Prompt: f.wire.prompt(), NewID: repeatable.IDs()}
	if streamed {
		request.OnDelta = func(d providers.Delta) {
			f.deltas[d.Kind] += d.Text
			if f.onDelta != nil {
				f.onDelta(d)
			}
		}
	}
	return f.provider.Query(ctx, request)
}

// Prompt is a short conversation with commands.
func Prompt() *ai.Prompt {
	return &ai.Prompt{
		System: "You are a test.", Protocol: domain.ProtocolNative, Tail: "It is now.",
		Commands: []domain.CommandSpec{{Name: "ZONES", Description: "List.", Params: []byte(`{"type":"object","properties":{}}`)}},
		Turns:    []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "Hello"}}}},
	}
}

// prompt is Prompt as the wire can take it.
func (w Wire) prompt() *ai.Prompt {
	p := Prompt()
	if w.NoCalls {
		p.Commands = nil
	}
	return p
}

// Run holds a wire to the contract.
func Run(t *testing.T, wire Wire) {
	RunPreset(t, wire)
	t.Run("ten megabytes", func(t *testing.T) { tooLarge(t, wire) })
}

// RunPreset is Run for a preset of a kind for which Run is called too: the bound on an answer is that of the kind.
func RunPreset(t *testing.T, wire Wire) {
	for name, streamed := range map[string]bool{"streamed": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			answers(t, wire, streamed)
			failures(t, wire, streamed)
		})
	}
	t.Run("cancelled", func(t *testing.T) { cancelled(t, wire) })
	t.Run("broken calls", func(t *testing.T) { brokenCalls(t, wire) })
	t.Run("moved", func(t *testing.T) { moved(t, wire) })
	t.Run("in parallel", func(t *testing.T) { parallel(t, wire) })
}

func answers(t *testing.T, wire Wire, streamed bool) {
	usage := domain.Usage{InputTokens: 70, CacheReadTokens: 30, OutputTokens: 20, ReasoningTokens: 5}
	table := map[string]struct {
		reply Reply
		want  domain.RawAnswer
	}{
		"text": {
			Reply{Text: []string{"Héllo, ", "wörld \"", "quoted\" \\ 😀\n"}, StopReason: "stop", Usage: usage},
			domain.RawAnswer{Text: "Héllo, wörld \"quoted\" \\ 😀\n", StopReason: "stop"},
		},
		"thoughts before text": {
			Reply{Thinking: []string{"hm", "m"}, Text: []string{"Yes."}, StopReason: "stop", Usage: usage},
			domain.RawAnswer{Text: "Yes.", StopReason: "stop", Thinking: []domain.Thinking{{Text: "hmm"}}},
		},
		"parallel calls beside text": {
			Reply{Text: []string{"I look."}, StopReason: "calls", Usage: usage, Calls: []Call{
				{"id_a", "ZONES", `{}`}, {"id_b", "TOOL_DATA", `{"tool_id": "tol_1", "n": 1.0e2}`}, {"id_c", "ZONES", `{"x":"é\n"}`}}},
			domain.RawAnswer{Text: "I look.", StopReason: "calls", Calls: []domain.RawCall{
				{Name: "ZONES", Arguments: `{}`}, {Name: "TOOL_DATA", Arguments: `{"tool_id": "tol_1", "n": 1.0e2}`}, {Name: "ZONES", Arguments: `{"x":"é\n"}`}}},
		},
		"cut at its length: no call is believed": {
			Reply{Text: []string{"I"}, Calls: []Call{{"id_a", "CREATE_DATA", `{"entries":[{"da`}}, StopReason: "length", Usage: usage},
			domain.RawAnswer{Text: "I", StopReason: "length", CutCalls: []string{"CREATE_DATA"}},
		},
		"invalid UTF-8 and NUL": {
			Reply{Text: []string{"a\xffb", "\x00c"}, StopReason: "stop", Usage: usage},
			domain.RawAnswer{Text: "a\uFFFDb\uFFFDc", StopReason: "stop"},
		},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			if wire.NoThinking && len(row.reply.Thinking) > 0 {
				t.Skip("this wire has no thoughts")
			}
			if wire.NoCalls && len(row.reply.Calls) > 0 {
				t.Skip("this wire has no calls")
			}
			f := start(t, wire, row.reply)
			before := clock.System()
			answer, err := f.query(t.Context(), streamed)
			if err != nil {
				t.Fatal(err)
			}
			f.compare(t, answer, row.want, streamed)
			if answer.Usage != usage {
				t.Errorf("usage %+v, want %+v", answer.Usage, usage)
			}
			if answer.FirstTokenAt.Before(before) || answer.FirstTokenAt.After(clock.System()) {
				t.Errorf("the first token came at %s", answer.FirstTokenAt)
			}
		})
	}
}

// compare holds an answer against what it should be. The ids of calls are the
// server's own and all different.
func (f *fixture) compare(t *testing.T, answer *providers.Answer, want domain.RawAnswer, streamed bool) {
	t.Helper()
	got := answer.Raw
	if got.Text != want.Text || got.StopReason != want.StopReason || len(got.Calls) != len(want.Calls) || len(got.Thinking) != len(want.Thinking) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	if !slices.Equal(got.CutCalls, want.CutCalls) {
		t.Errorf("the calls that were cut are %q, want %q", got.CutCalls, want.CutCalls)
	}
	if got.Model == "" || got.Provider == "" || got.Protocol != domain.ProtocolNative {
		t.Errorf("model %q, provider %q, protocol %q", got.Model, got.Provider, got.Protocol)
	}
	seen, arguments := map[string]bool{"": true}, ""
	for i, call := range got.Calls {
		if call.Name != want.Calls[i].Name || call.Arguments != want.Calls[i].Arguments || seen[call.ID] {
			t.Errorf("call %d is %+v, want %+v", i, call, want.Calls[i])
		}
		seen[call.ID] = true
		arguments += call.Arguments
	}
	var thoughts strings.Builder
	for i, th := range got.Thinking {
		thoughts.WriteString(th.Text)
		if th.Text != want.Thinking[i].Text {
			t.Errorf("thoughts %q, want %q", th.Text, want.Thinking[i].Text)
		}
	}
	if !streamed {
		return
	}
	if f.deltas[providers.DeltaText] != got.Text || f.deltas[providers.DeltaThinking] != thoughts.String() {
		t.Errorf("streamed %q and %q", f.deltas[providers.DeltaText], f.deltas[providers.DeltaThinking])
	}
	if len(got.Calls) > 0 && f.deltas[providers.DeltaArguments] != arguments {
		t.Errorf("streamed arguments %q, want %q", f.deltas[providers.DeltaArguments], arguments)
	}
}

func failures(t *testing.T, wire Wire, streamed bool) {
	text := []string{"Once ", "upon "}
	table := map[string]struct {
		reply Reply
		class providers.Class
		says  string
		after time.Duration
	}{
		"broken connection": {Reply{Text: text, Ending: Reset}, providers.ClassNetwork, "", 0},
		"error inside":      {Reply{Text: text, Ending: Failed}, providers.ClassOverloaded, "", 0},
		"refused by policy": {Reply{Text: text, StopReason: "refused"}, providers.ClassRefused, "", 0},
		"rate limited": {Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}, Body: `{"error":{"message":"slow down"}}`},
			providers.ClassRateLimited, "slow down", 7 * time.Second},
		"overloaded": {Reply{Status: 529, Body: `{"error":{"message":"busy"}}`}, providers.ClassOverloaded, "busy", 0},
		"wrong key": {Reply{Status: 401, Body: `{"error":{"message":"Incorrect API key: ` + key + `"}}`},
			providers.ClassAuthentication, "Incorrect API key", 0},
		"unknown model":    {Reply{Status: 404, Body: `{"error":{"message":"no such model"}}`}, providers.ClassInvalidRequest, "no such model", 0},
		"context too long": {Reply{Status: 400, Body: `{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}`}, providers.ClassContextTooLong, "too long", 0},
		"text as error":    {Reply{Status: 400, Body: `{"error":"bad parameter"}`}, providers.ClassInvalidRequest, "bad parameter", 0},
		"a proxy's page":   {Reply{Status: 502, Body: "<html><h1>Bad gateway</h1></html>"}, providers.ClassNetwork, "Bad gateway", 0},
		"a page and a 200": {Reply{Status: 200, Body: "<html><h1>Welcome</h1></html>"}, providers.ClassInvalidRequest, "Welcome", 0},
		"an empty 200":     {Reply{Status: 200}, providers.ClassNetwork, "", 0},
		"a redirect too far": {Reply{Status: 302, Header: map[string]string{"Location": "http://169.254.169.254/"}},
			providers.ClassInvalidRequest, "", 0},
	}
	if streamed {
		table["cut stream"] = struct {
			reply Reply
			class providers.Class
			says  string
			after time.Duration
		}{Reply{Text: text, Ending: Cut}, providers.ClassNetwork, "", 0}
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			f := start(t, wire, row.reply)
			answer, err := f.query(t.Context(), streamed)
			var e *providers.Error
			if answer != nil || !errors.As(err, &e) {
				t.Fatalf("got %+v, %v", answer, err)
			}
			if e.Class != row.class || !strings.Contains(e.Message, row.says) || e.RetryAfter != row.after {
				t.Errorf("got %v (retry after %s), want %s %q", e, e.RetryAfter, row.class, row.says)
			}
			for _, secret := range []string{key, "0123456789abcdef", "<h1>"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows %q: %v", secret, err)
				}
			}
		})
	}
}

// cancelled: a person stops the answer in its midst, and before its first byte.
func cancelled(t *testing.T, wire Wire) {
	for name, streamed := range map[string]bool{"streamed": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			f := start(t, wire, Reply{Text: []string{"Once ", "upon "}, Ending: Hang})
			stopped := errors.New("stopped by the person")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if streamed {
				f.onDelta = func(providers.Delta) { cancel(stopped) }
			} else {
				timer := time.AfterFunc(20*time.Millisecond, func() { cancel(stopped) })
				defer timer.Stop()
			}
			began := clock.System()
			answer, err := f.query(ctx, streamed)
			var e *providers.Error
			if answer != nil || !errors.Is(err, stopped) || !errors.As(err, &e) || e.Class != providers.ClassCancelled {
				t.Errorf("got %+v, %v", answer, err)
			}
			if took := clock.System().Sub(began); took > promptly {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// tooLarge: an endless answer ends in a clear error and in bounded memory.
func tooLarge(t *testing.T, wire Wire) {
	piece := strings.Repeat("0123456789abcde ", 1<<12)
	many := make([]string, 160)
	for i := range many {
		many[i] = piece
	}
	for name, reply := range map[string]Reply{
		"many pieces": {Text: many, StopReason: "stop"},
		"one piece":   {Text: []string{strings.Repeat(piece, 160)}, StopReason: "stop"},
		"arguments":   {Calls: []Call{{"a", "X", `{"x":"` + strings.Repeat(piece, 160) + `"}`}}, StopReason: "calls"},
	} {
		for how, streamed := range map[string]bool{"streamed": true, "whole": false} {
			t.Run(name+" "+how, func(t *testing.T) {
				f := start(t, wire, reply)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				answer, err := f.provider.Query(t.Context(), wire.request(streamed))
				runtime.ReadMemStats(&after)
				var e *providers.Error
				if answer != nil || !errors.As(err, &e) || e.Class.Retryable() || !strings.Contains(e.Message, "too large") {
					t.Errorf("got %v, %v", answer != nil, err)
				}
				// The fake server's own memory is in this figure too.
				if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
					t.Errorf("%d MiB were allocated", grown>>20)
				}
			})
		}
	}
}

func (w Wire) request(streamed bool) *providers.Request {
	r := &providers.Request{Prompt: w.prompt(), NewID: repeatable.IDs()}
	if streamed {
		r.OnDelta = func(providers.Delta) {}
	}
	return r
}

// parallel: one provider serves many sessions that share turns.
func parallel(t *testing.T, wire Wire) {
	f := start(t, wire, Reply{Text: []string{"a", "b", "c"}, StopReason: "stop"})
	shared := wire.prompt()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			text := ""
			r := &providers.Request{Prompt: shared, NewID: repeatable.IDs()}
			if i%2 == 0 {
				r.OnDelta = func(d providers.Delta) { text += d.Text }
			}
			answer, err := f.provider.Query(t.Context(), r)
			if err != nil || answer.Raw.Text != "abc" || (i%2 == 0 && text != "abc") {
				t.Errorf("got %+v, %v, streamed %q", answer, err, text)
			}
		})
	}
	group.Wait()
}
