package load

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// otherDoors are the paths of other protocols, the request for a round, and the line prefix of the first piece of
// the answer.
var otherDoors = []struct{ name, path, body, piece string }{
	{"chat", "/v1/chat/completions", `{"model":"fermata","stream":true,"messages":[{"role":"user","content":%q}]}`, `"content":"word`},
	{"responses", "/v1/responses", `{"model":"fermata","stream":true,"conversation":"bench","input":%q}`, `"delta":"word`},
	{"ag-ui", "/v1/agui", `{"threadId":"front","runId":"r","messages":[{"id":%[1]q,"role":"user","content":%[1]q}]}`, `"delta":"word`},
}

// BenchmarkDoors compares a round through each protocol with one through the server's own API: "x-first" is the
// ratio of the medians from the request to the first piece of the answer, "x-cpu" that of the CPU time of a
// round, client and model included on both sides. Each uses a workspace of its own: in one they would compete
// for its slot with every round, and events of one on the other's open stream would count for the other.
func BenchmarkDoors(b *testing.B) {
	for kind, open := range harness.Databases {
		for _, d := range otherDoors {
			b.Run(kind+"/"+d.name, func(b *testing.B) {
				llm := fakeLLM(b)
				s := newServer(b, open(b))
				s.configureFake(llm)
				others := door{url: s.URL, workspace: "others"}
				harness.Must(b, others.furnish(b.Context(), llm))
				own, n := newFirstTalker(b, s.URL), 0
				other := func() time.Duration {
					n++
					return others.firstPiece(b, d.path, fmt.Sprintf(d.body, fmt.Sprint("hello ", n)), d.piece)
				}
				for range 20 {
					own.round(b)
					other()
				}
				var ours, theirs []time.Duration
				var mine, its time.Duration
				for b.Loop() {
					timed(func() { ours = append(ours, own.round(b)) }, &mine)
					timed(func() { theirs = append(theirs, other()) }, &its)
				}
				slices.Sort(ours)
				slices.Sort(theirs)
				b.ReportMetric(float64(theirs[len(theirs)/2])/float64(ours[len(ours)/2]), "x-first")
				b.ReportMetric(float64(its)/float64(mine), "x-cpu")
			})
		}
	}
}

// firstPiece has a round through a door, and says how long its first piece took.
func (d door) firstPiece(b *testing.B, path, body, piece string) (first time.Duration) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, d.url+path, strings.NewReader(body))
	harness.Must(b, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Fermata-Session", "bench")
	begun := time.Now()
	answer, err := d.do(request)
	harness.Must(b, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if first == 0 && bytes.Contains(lines.Bytes(), []byte(piece)) {
			first = time.Since(begun)
		}
	}
	if first == 0 {
		b.Fatalf("%s: there was no answer: %s, %v", path, answer.Status, lines.Err())
	}
	return first
}

// firstTalker talks through the server's own API, and listens on a stream that stays open.
type firstTalker struct {
	door
	session string
	lines   *bufio.Scanner
	n       int
}

func newFirstTalker(b *testing.B, url string) *firstTalker {
	b.Helper()
	t := &firstTalker{door: door{url: url}}
	var session struct{ ID string }
	harness.Must(b, t.call(b.Context(), "POST", "/v1/sessions", map[string]any{"type": "CHAT"}, &session))
	t.session = session.ID
	request, err := http.NewRequestWithContext(b.Context(), "GET", url+"/v1/sessions/"+t.session+"/events", nil)
	harness.Must(b, err)
	request.Header.Set("Accept", "text/event-stream")
	answer, err := harness.BenchClient.Do(request)
	harness.Must(b, err)
	b.Cleanup(func() { _ = answer.Body.Close() })
	t.lines = bufio.NewScanner(io.Reader(answer.Body))
	t.lines.Buffer(nil, 1<<20)
	return t
}

// round sends a message, and reads until the end of the round: the session's idle status follows the phase, in
// the same commit, so that no event of the round is left.
func (t *firstTalker) round(b *testing.B) (first time.Duration) {
	b.Helper()
	t.n++
	begun := time.Now()
	harness.Must(b, t.call(b.Context(), "POST", "/v1/sessions/"+t.session+"/messages", map[string]any{"text": fmt.Sprint("hello ", t.n)}, nil))
	status := false
	for t.lines.Scan() {
		line := t.lines.Bytes()
		if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			if status = string(name) == "session.status"; first == 0 && string(name) == "message.delta" {
				first = time.Since(begun)
			}
		} else if status && first > 0 && bytes.Contains(line, []byte(`"status":"idle"`)) {
			return first
		}
	}
	b.Fatalf("the event stream ended: %v", t.lines.Err())
	return 0
}
