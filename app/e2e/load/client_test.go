package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// door is a server as the clients of one workspace see it; "" is the usual one, and "" no key.
type door struct{ url, workspace, key string }

// call makes a request, and reads the answer into out unless that is nil.
func (d door) call(ctx context.Context, method, path string, body, out any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, d.url+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := d.do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, answer.Status, read)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(read, out)
}

func (d door) do(request *http.Request) (*http.Response, error) {
	if d.workspace != "" {
		request.Header.Set("Fermata-Workspace", d.workspace)
	}
	if d.key != "" {
		request.Header.Set("Authorization", "Bearer "+d.key)
	}
	return harness.BenchClient.Do(request)
}

// furnish makes the workspace, with the model as its provider.
func (d door) furnish(ctx context.Context, model string) error {
	if d.workspace != "" {
		all := door{url: d.url, key: d.key}
		if err := all.call(ctx, "POST", "/v1/workspaces", map[string]any{"id": d.workspace}, nil); err != nil {
			return err
		}
	}
	return d.call(ctx, "POST", "/v1/providers", map[string]any{
		"name": "Fake", "kind": "openai_compatible", "is_default": true, "config": map[string]any{"base_url": model, "model": "m"},
	}, nil)
}

// talker is a client that sends a message and waits, on the event stream, for the end of
// the round.
type talker struct {
	door
	session string
	ends    chan struct{} // closed when the stream ends
	close   context.CancelFunc
}

// newTalker opens a session with its event stream.
func (d door) newTalker(ctx context.Context) (*talker, error) {
	var session struct{ ID string }
	if err := d.call(ctx, "POST", "/v1/sessions", map[string]any{"type": "CHAT"}, &session); err != nil {
		return nil, err
	}
	return d.listenTo(ctx, session.ID)
}

func (d door) listenTo(ctx context.Context, session string) (*talker, error) {
	t := &talker{door: d, session: session, ends: make(chan struct{}, 64)}
	ctx, t.close = context.WithCancel(ctx)
	request, err := http.NewRequestWithContext(ctx, "GET", t.url+"/v1/sessions/"+session+"/events", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/event-stream")
	answer, err := d.do(request)
	if err == nil && answer.StatusCode != 200 {
		answer.Body.Close()
		err = fmt.Errorf("the event stream: %s", answer.Status)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	go t.follow(answer.Body)
	return t, nil
}

func (t *talker) follow(stream io.ReadCloser) {
	defer close(t.ends)
	defer stream.Close()
	scanner := bufio.NewScanner(stream)
	scanner.Buffer(make([]byte, 4<<10), 16<<20)
	phase := false
	for scanner.Scan() {
		if name, ok := bytes.CutPrefix(scanner.Bytes(), []byte("event: ")); ok {
			phase = string(name) == "session.phase"
		} else if phase && endsRound(scanner.Bytes()) {
			t.ends <- struct{}{}
		}
	}
}

// endsRound says whether a session.phase is the arrival at rest.
func endsRound(line []byte) bool {
	return bytes.HasPrefix(line, []byte("data: ")) && bytes.Contains(line, []byte(`"phase":"IDLE"`)) && !bytes.Contains(line, []byte(`"from":"IDLE"`))
}

// patience is how long a round may take; a machine may be slow.
const patience = time.Minute

// round says something and waits until the answer is there.
func (t *talker) round(ctx context.Context) error {
	if err := t.call(ctx, "POST", "/v1/sessions/"+t.session+"/messages", map[string]any{"text": "hello"}, nil); err != nil {
		return err
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case _, ok := <-t.ends:
		if !ok {
			return errors.New("the event stream ended in the middle of a round")
		}
		return nil
	case <-late.C:
		return fmt.Errorf("the round did not end in %s", patience)
	}
}

// benchTalker is a talker whose failure ends the benchmark.
type benchTalker struct {
	*talker
	b *testing.B
}

func newBenchTalker(b *testing.B, d door) benchTalker {
	b.Helper()
	t, err := d.newTalker(context.Background())
	harness.Must(b, err)
	b.Cleanup(t.close)
	return benchTalker{t, b}
}

func (t benchTalker) round() {
	t.b.Helper()
	harness.Must(t.b, t.talker.round(t.b.Context()))
}

// workspaceOf names the workspace of a session of many: each has its own, because one
// session of a workspace is at work at a time.
func workspaceOf(n int) string { return fmt.Sprintf("load-%d", n) }
