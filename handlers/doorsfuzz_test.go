package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
)

// The doors of other protocols, each as a whole: whatever comes in is answered, in the protocol's own
// form, and what is refused has changed nothing. A request is an object with headers and a body; one
// that is no such object is sent as it is. $names in it are of the world that it meets (knock.names).

func FuzzChatCompletions(f *testing.F) { fuzzDoor(f, completionsDoor) }
func FuzzResponses(f *testing.F)       { fuzzDoor(f, responsesDoor) }
func FuzzAGUI(f *testing.F)            { fuzzDoor(f, aguiDoor) }
func FuzzUIChat(f *testing.F)          { fuzzDoor(f, uiDoor) }
func FuzzMCP(f *testing.F)             { fuzzDoor(f, mcpDoor) }

// fuzzedDoor is a door as its clients see it.
type fuzzedDoor struct {
	path string
	// begins are requests after which something is open: an approval, and calls of the client's tools
	// where the door has those. takes are those of every kind that it takes.
	begins, takes []string
	// refusal is the code of an answer that is an error; "" for one that is none, or has another form.
	refusal func(body []byte) string
}

// fuzzDoor begins with each request that a door takes, and with each value in it replaced by another.
func fuzzDoor(f *testing.F, door fuzzedDoor) {
	for _, request := range slices.Concat(door.begins, door.takes) {
		var doc any
		if err := json.Unmarshal([]byte(request), &doc); err != nil {
			f.Fatalf("%s: %v", request, err)
		}
		f.Add([]byte(request), []byte{})
		for at := range nodesOf(doc) {
			f.Add([]byte(request), []byte{byte(at), byte(at * 11)})
		}
	}
	w := servertest.OpenWorld(f, servertest.Wiring{RootKey: servertest.RootKey, PublicURL: "https://fermata.example", Clock: clock.System, Schedules: true})
	k := &knocker{fuzzedDoor: door, world: w, handler: handlers.New(w.Config)}
	admin := servertest.FixtureBuilder{T: f, Handler: k.handler}
	admin.Call(200, "PATCH", "/v1/settings", `{"require_validation":true,"mcp_answers":true,"approve_by_text":true}`)
	f.Fuzz(func(t *testing.T, request, changes []byte) {
		if len(changes) > 16 {
			return
		}
		k.begin(t)
		k.try(t, request, changes)
	})
}

// knocker sends requests to one door of a world.
type knocker struct {
	fuzzedDoor
	world   *servertest.World
	handler http.Handler
	talks   int               // that were begun
	names   map[string]string // of what is there, by which requests call it
	open    []string          // the approvals among them
}

// begin makes something to answer, unless what was made before is still open.
func (k *knocker) begin(t *testing.T) {
	t.Helper()
	for _, id := range k.open {
		if a, err := k.world.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, id); err != nil || a.Status != domain.ApprovalStatusOpen {
			k.open = nil
		}
	}
	if k.open != nil {
		return
	}
	k.talks++
	k.names = map[string]string{"$n": fmt.Sprint(k.talks), "$far": "ses_far"}
	for _, request := range k.begins {
		before := k.world.Newest(t)
		got := k.send(t, []byte(request), nil)
		if got == nil || got.Code != http.StatusOK {
			t.Fatalf("it was begun with %s, and answered %+v", request, got)
		}
		k.remember(t, before, got.Body.Bytes())
	}
	if len(k.open) != len(k.begins) {
		t.Fatalf("of %d beginnings %q are open", len(k.begins), k.open)
	}
}

var named = map[string]*regexp.Regexp{
	"$response": regexp.MustCompile(`resp_[0-9a-f]{64}`), "$state": regexp.MustCompile(`"requestState":"([^"]+)"`),
	"$task": regexp.MustCompile(`"taskId":"([^"]+)"`),
}

// remember names what a request has made.
func (k *knocker) remember(t *testing.T, before int64, answer []byte) {
	t.Helper()
	for name, form := range named {
		if found := form.FindSubmatch(answer); found != nil {
			k.names[name] = string(found[len(found)-1])
		}
	}
	for _, e := range k.events(t, before) {
		if e.Type != domain.LogApprovalRequested {
			continue
		}
		var event struct{ Approval struct{ ID string } }
		if err := json.Unmarshal(e.Data, &event); err != nil {
			t.Fatal(err)
		}
		a, err := k.world.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, event.Approval.ID)
		if err != nil {
			t.Fatal(err)
		}
		k.open, k.names["$session"] = append(k.open, a.ID), a.SessionID
		if a.Kind == domain.ApprovalClientCalls {
			k.names["$call"] = domain.ClientCallID(a.ID, 0)
			continue
		}
		k.names["$approval"], k.names["$execution"] = a.ID, a.Actions[0].ID
	}
}

func (k *knocker) events(t *testing.T, after int64) []*domain.LogEvent {
	t.Helper()
	events, _, err := k.world.Store.Events.Events(t.Context(), domain.DefaultWorkspace, "", after, domain.PageSize{Rows: 1000, Bytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// patience is how long a client waits for an answer.
const patience = 5 * time.Second

// send makes a request; nil where the client left before it was answered.
func (k *knocker) send(t *testing.T, request, changes []byte) *httptest.ResponseRecorder {
	t.Helper()
	var doc any
	var whole struct {
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	}
	if len(changes) > 1 && json.Unmarshal(request, &doc) == nil {
		for ; len(changes) > 1; changes = changes[2:] {
			at := int(changes[0]) % nodesOf(doc)
			doc = changed(doc, &at, changes[1])
		}
		if made, err := json.Marshal(doc); err == nil {
			request = made
		}
	}
	if json.Unmarshal(request, &whole) != nil || len(whole.Body) == 0 {
		whole.Headers, whole.Body = nil, request
	}
	body := k.named(string(whole.Body))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, k.path, strings.NewReader(body))
	for name, value := range whole.Headers {
		r.Header.Set(name, strings.Map(func(c rune) rune {
			if c < ' ' || c == 0x7f { // an HTTP client does not send these
				return -1
			}
			return c
		}, k.named(value)))
	}
	r.Header.Set("Authorization", "Bearer admin")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Del("Fermata-Workspace")
	w := httptest.NewRecorder()
	k.handler.ServeHTTP(w, r)
	if ctx.Err() != nil {
		return nil
	}
	return w
}

// named puts the names of this world into a request, the longest first.
func (k *knocker) named(text string) string {
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(k.names))) {
		text = strings.ReplaceAll(text, name, k.names[name])
	}
	return text
}

// try sends a request, and looks at what became of it.
func (k *knocker) try(t *testing.T, request, changes []byte) {
	before := k.world.Newest(t)
	got := k.send(t, request, changes)
	if got == nil {
		return // what waits for a person may wait for long
	}
	answer := got.Body.Bytes()
	code := k.refusal(answer)
	switch {
	case got.Code >= http.StatusInternalServerError || code == string(domain.CodeInternal):
		t.Fatalf("%s, changed by %v, fails: %d %.1000s", request, changes, got.Code, answer)
	case got.Code >= http.StatusBadRequest && code == "":
		t.Fatalf("%s, changed by %v, is refused in a form of its own: %d %.1000s", request, changes, got.Code, answer)
	case code == "":
		return
	}
	for _, e := range k.events(t, before) {
		if byCaller(t, e) {
			t.Fatalf("%s, changed by %v, is refused (%s), and has caused %s: %s", request, changes, code, e.Type, e.Data)
		}
	}
}

// byCaller says whether an event is caused by who calls. A round that an earlier request has begun
// may still be at work.
func byCaller(t *testing.T, e *domain.LogEvent) bool {
	t.Helper()
	switch e.Type {
	case domain.LogSessionCreated, domain.LogApprovalSettled, domain.LogMessageDeleted, domain.LogAnswersChanged:
		return true
	case domain.LogMessageCreated:
		var event struct{ Message struct{ Sender string } }
		if err := json.Unmarshal(e.Data, &event); err != nil {
			t.Fatal(err)
		}
		return event.Message.Sender == string(domain.SenderUser)
	}
	return false
}
