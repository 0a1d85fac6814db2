package vendors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers/suite"
)

// mockErrs says where the mock is no second opinion.
var mockErrs = map[string]string{
	"gemini": "the mock ends an answer with calls as FUNCTION_CALL, which the API does not: it says STOP",
}

// Our fakes are our own idea of the vendors. This holds the conversations with a mock
// that others wrote: the record must be the same. `make second-opinion` runs it.
func TestSecondOpinion(t *testing.T) {
	script := os.Getenv("FERMATA_SECOND_OPINION")
	if script == "" {
		t.Skip("FERMATA_SECOND_OPINION names no mock; make second-opinion does")
	}
	mocks := map[string]string{}
	for _, dialogue := range suite.Conversations() {
		mocks[dialogue.Name] = startMock(t, script, dialogue)
	}
	asked := map[string]bool{}
	for _, vendor := range vendors {
		if asked[vendor.Kind] {
			continue // presets are our fakes' business
		}
		asked[vendor.Kind] = true
		t.Run(vendor.Kind, func(t *testing.T) {
			if why := mockErrs[vendor.Kind]; why != "" {
				t.Skip(why)
			}
			want := converse(t, vendor, domain.ProtocolNative)
			got := converseAt(t, vendor, domain.ProtocolNative, func(c suite.Dialogue) string { return mocks[c.Name] })
			for part := range want {
				if !reflect.DeepEqual(got[part], want[part]) {
					t.Errorf("%s: the record is\n%s\nwith our fake\n%s", part, lines(got[part]), lines(want[part]))
				}
			}
		})
	}
}

// startMock starts the mock with a conversation and gives its URL.
func startMock(t *testing.T, script string, dialogue suite.Dialogue) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	file := filepath.Join(t.TempDir(), "conversations.json")
	if err := os.WriteFile(file, mockFixtures(t, dialogue), 0o600); err != nil {
		t.Fatal(err)
	}
	mock := exec.Command("node", script, "-p", port, "-f", file)
	mock.Env = append(os.Environ(), "AIMOCK_STRICT_TURN_INDEX=1")
	out, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	mock.Stderr = mock.Stdout
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mock.Process.Kill(); _ = mock.Wait() })
	ready := make(chan string, 1)
	go func() {
		for said := bufio.NewScanner(out); said.Scan(); {
			if strings.Contains(said.Text(), port) {
				select {
				case ready <- said.Text():
				default:
				}
			}
		}
	}()
	url := "http://127.0.0.1:" + port
	select {
	case <-ready:
	case <-time.After(20 * time.Second):
		t.Fatal("the mock does not start")
	}
	response, err := http.Get(url + "/health")
	if err != nil {
		t.Fatalf("the mock does not answer: %v", err)
	}
	_ = response.Body.Close()
	return url
}

// mockFixtures are a model's replies in the mock's own words, each with the number of
// answers that stand before it.
func mockFixtures(t *testing.T, dialogue suite.Dialogue) []byte {
	t.Helper()
	var fixtures []any
	for i, reply := range dialogue.Replies(domain.ProtocolNative) {
		response := map[string]any{}
		if text := strings.Join(reply.Text, ""); text != "" {
			response["content"] = text
		}
		if len(reply.Calls) > 0 {
			var calls []any
			for _, call := range reply.Calls {
				calls = append(calls, map[string]any{"id": call.ID, "name": call.Name, "arguments": call.Arguments})
			}
			response["toolCalls"] = calls
		}
		fixtures = append(fixtures, map[string]any{"match": map[string]any{"turnIndex": i}, "response": response})
	}
	all, err := json.Marshal(map[string]any{"fixtures": fixtures})
	if err != nil {
		t.Fatal(fmt.Errorf("encode the fixtures: %w", err))
	}
	return all
}
