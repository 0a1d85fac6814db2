package doors

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// leftDoors are the doors whose clients make a request again without an id of ours: how they say
// something, and what they hold when they have said it to the end. Chat completions and
// responses have tests of their own.
var leftDoors = map[string]struct {
	path string
	body func(said string) string
	ask  func(s *server, key, said string) string
}{
	"ag-ui": {"/v1/agui", func(said string) string { return aguiBody(said, "m1", said, "[]") }, func(s *server, key, said string) string {
		_, events, _ := s.aguiPost(key, aguiBody(said, "m1", said, "[]"), 0)
		return aguiText(events)
	}},
	"ui": {"/v1/ui/chat", func(said string) string { return uiBody(said, "m1", said, "") }, func(s *server, key, said string) string {
		_, chunks, _ := s.uiCall(key, "POST", "", uiBody(said, "m1", said, ""), 0)
		return uiText(chunks)
	}},
	"mcp": {"/mcp", keyedCall, func(s *server, key, said string) string {
		_, reply := s.rpc(key, keyedCall(said))
		return reply.Result.Content.Text
	}},
}

// keyedCall is a call that a client may repeat.
func keyedCall(said string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":{"text":%q,"idempotency_key":%q}}}`,
		said, said)
}

// A client that leaves in the middle of a stream, at whatever byte, changes nothing: asked
// again, it has the whole answer, of the same round.
func TestEveryStreamThatIsLeft(t *testing.T) {
	const answer = "One two three four five six seven eight nine ten."
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[{"token_delay_ms": 3, "answer": {"text": "`+answer+`"}}]`)
	rounds := 0
	for name, door := range leftDoors {
		for _, bytes := range []int{0, 1, 15, 200, 777, 1200} {
			rounds++
			said := fmt.Sprintf("%s left after %d", name, bytes)
			s.leaves(key, door.path, door.body(said), bytes)
			if got := door.ask(s, key, said); got != answer {
				t.Errorf("%s: after %d bytes the answer is %q", name, bytes, got)
			}
		}
	}
	sessions := s.Call("GET", "/v1/sessions?limit=200", nil).Want(200).List("data")
	if len(sessions) != rounds {
		t.Errorf("%d rounds have made %d sessions", rounds, len(sessions))
	}
	for _, one := range sessions {
		if got := s.said(one.(map[string]any)["id"].(string)); len(got) != 2 {
			t.Errorf("a record is %q", got)
		}
	}
	s.Sound()
}

// leaves makes a request and goes after so many bytes of its answer. With none it goes as soon
// as the head is there; where nothing comes before the end, that is the end.
func (s *server) leaves(key, path, body string, bytes int) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	_, _ = io.ReadFull(bufio.NewReaderSize(response.Body, 16), make([]byte, bytes)) // as far as there is
	_ = response.Body.Close()
}
