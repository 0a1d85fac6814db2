package longrunning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/egress"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// came is what a service was sent, if its signature is right.
type came struct {
	path   string
	header http.Header
	body   map[string]any
}

// dialed is a connection to a service, with what comes there. Config is more of the connector's.
func dialed(t *testing.T, handle http.HandlerFunc, config string, callback func() (string, error)) (connectors.Connection, func() []came) {
	t.Helper()
	var (
		mu  sync.Mutex
		all []came
	)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		c := came{path: r.URL.Path, header: r.Header.Clone()}
		if err := auth.VerifyWebhook(r.Header, text, noon, secret); err != nil {
			t.Errorf("%s is not signed: %v", r.URL.Path, err)
		}
		if err := json.Unmarshal(text, &c.body); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		mu.Lock()
		all = append(all, c)
		mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	if callback == nil {
		callback = func() (string, error) { return "https://here.example/v1/callbacks/", nil }
	}
	return opened(t, server.URL, config, callback), func() []came {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func opened(t *testing.T, base, config string, callback func() (string, error)) connectors.Connection {
	t.Helper()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	t.Cleanup(client.CloseIdleConnections)
	kind := Kind(callback, shelf, func() time.Time { return noon })
	c, err := kind.Open(t.Context(), connectors.Opening{Client: client, Connector: &outside.Connector{
		Name: "Studio", Config: json.RawMessage(fmt.Sprintf(`{"base_url":%q,"signing_secret":%q%s}`, base, secret, config)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shelf has one document that is published, and one that is not.
func shelf(_ context.Context, workspace, key string) (*userdata.Document, error) {
	switch {
	case workspace == "w" && key == "rules":
		return &userdata.Document{Key: "rules", DocumentFields: userdata.DocumentFields{Title: "Rules", Body: "a newer draft"}, Published: "Shoes off.", PublishedAt: &noon}, nil
	case workspace == "w" && key == "draft":
		return &userdata.Document{Key: "draft", DocumentFields: userdata.DocumentFields{Body: "not yet"}}, nil
	case key == "broken":
		return nil, errors.New("the database is away")
	}
	return nil, domain.NotFound("document")
}

// TestDocumentsGoAlong as they are published; without one of them nothing is sent.
func TestDocumentsGoAlong(t *testing.T) {
	c, all := dialed(t, accepts, "", nil)
	wants := func(keys ...string) connectors.Call {
		return ordered(func(c *connectors.Call) { c.Definition.Documents = keys })
	}
	if _, err := c.Call(t.Context(), wants("rules")); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(all()[0].body["documents"])
	if want := `[{"body":"Shoes off.","key":"rules","published_at":"2026-03-04T12:00:00Z","title":"Rules"}]`; string(text) != want {
		t.Errorf("along came %s, want %s", text, want)
	}
	for _, key := range []string{"draft", "nowhere", "broken"} {
		_, err := c.Call(t.Context(), wants("rules", key))
		if outside.FaultOf(err) != outside.FaultNotSent || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if len(all()) != 1 {
		t.Errorf("%d orders came", len(all()))
	}
}

func ordered(change ...func(*connectors.Call)) connectors.Call {
	c := connectors.Call{Call: outside.Call{
		WorkspaceID: "w", SessionID: "ses_1", ExternalID: "their-7", ExecutionID: "exe_1", Command: "FILM.RENDER",
		Params: json.RawMessage(`{"title":"Alps"}`), TaskID: "tsk_1", Deadline: noon.Add(time.Hour),
		TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}}
	for _, do := range change {
		do(&c)
	}
	return c
}

func accepts(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }

// TestAnOrder has all that a service needs, and its headers.
func TestAnOrder(t *testing.T) {
	c, all := dialed(t, accepts, `,"headers":{"Authorization":"Bearer mine"}`, nil)
	result, err := c.Call(t.Context(), ordered())
	if err != nil || result.Task == nil || result.Task.Poll != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	got := all()[0]
	want := `{"callback_url":"https://here.example/v1/callbacks/tsk_1","command":"FILM.RENDER","deadline":"2026-03-04T13:00:00Z",` +
		`"params":{"title":"Alps"},"session":{"external_id":"their-7","id":"ses_1","workspace_id":"w"},"task_id":"tsk_1"}`
	if text, _ := json.Marshal(got.body); string(text) != want || got.path != "/" {
		t.Errorf("%s came\n%s, want\n%s", got.path, text, want)
	}
	for name, value := range map[string]string{
		"Idempotency-Key": "exe_1", "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"Authorization": "Bearer mine", "Content-Type": "application/json", "Webhook-Id": "tsk_1",
	} {
		if got.header.Get(name) != value {
			t.Errorf("%s: %q", name, got.header.Get(name))
		}
	}
	if _, err := c.Call(t.Context(), ordered(func(c *connectors.Call) {
		c.Params, c.ExternalID = nil, ""
		c.Definition.Request = &outside.CommandRequest{Method: http.MethodPost, Path: "/renders"}
	})); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(all()[1].body)
	if got := all()[1]; got.path != "/renders" || !strings.Contains(string(text), `"params":{}`) || !strings.Contains(string(text), `"external_id":null`) {
		t.Errorf("%s came %s", got.path, text)
	}
}

// TestWhatBecameOfAnOrder: what was refused or never left has failed, anything else is unknown.
func TestWhatBecameOfAnOrder(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		fault  outside.Fault
	}{
		"refused":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422) }, outside.FaultRefused},
		"broken":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, outside.FaultUnknown},
		"not answered": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, outside.FaultUnknown},
		"sent elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
		}, outside.FaultUnknown},
	} {
		conn, all := dialed(t, c.handle, "", nil)
		_, err := conn.Call(t.Context(), ordered())
		if err == nil || outside.FaultOf(err) != c.fault || len(all()) != 1 {
			t.Errorf("%s: %v (%v), asked %d times", name, err, outside.FaultOf(err), len(all()))
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	_, err = opened(t, "http://"+address, "", func() (string, error) { return "", nil }).Call(t.Context(), ordered())
	if outside.FaultOf(err) != outside.FaultNotSent {
		t.Errorf("connection refused: %v", err)
	}
}

// TestNothingIsOrdered without a task to call back for, or an address to call back.
func TestNothingIsOrdered(t *testing.T) {
	away := func() (string, error) { return "", errors.New("set FERMATA_PUBLIC_URL") }
	for name, c := range map[string]struct {
		callback func() (string, error)
		call     connectors.Call
		says     string
	}{
		"no task":    {nil, ordered(func(c *connectors.Call) { c.TaskID = "" }), "no task"},
		"no address": {away, ordered(), "FERMATA_PUBLIC_URL"},
	} {
		conn, all := dialed(t, accepts, "", c.callback)
		_, err := conn.Call(t.Context(), c.call)
		if outside.FaultOf(err) != outside.FaultNotSent || !strings.Contains(err.Error(), c.says) || len(all()) != 0 {
			t.Errorf("%s: %v, %d came", name, err, len(all()))
		}
	}
	conn, _ := dialed(t, accepts, "", nil)
	if _, _, err := conn.Probe(t.Context(), ordered()); !errors.Is(err, outside.ErrNoProbe) {
		t.Errorf("a probe gives %v", err)
	}
}

// TestAServiceIsNotifiedToStop where its command says so.
func TestAServiceIsNotifiedToStop(t *testing.T) {
	conn, all := dialed(t, accepts, "", nil)
	canceller := conn.(connectors.Canceller)
	task := &domain.Task{ID: "tsk_1"}
	if err := canceller.NotifyCancelled(t.Context(), task, outside.ConnectorCommand{}, "cancelled"); err != nil || len(all()) != 0 {
		t.Errorf("without a path: %v, %d came", err, len(all()))
	}
	if err := canceller.NotifyCancelled(t.Context(), task, outside.ConnectorCommand{CancelPath: "/stop"}, "expired"); err != nil {
		t.Fatal(err)
	}
	if got := all()[0]; got.path != "/stop" || got.body["task_id"] != "tsk_1" || got.body["reason"] != "expired" || got.header.Get("Webhook-Id") != "tsk_1_cancel" {
		t.Errorf("%+v came", got)
	}
}

// TestCommandsThatCannotBeSent are refused when they are written.
func TestCommandsThatCannotBeSent(t *testing.T) {
	kind := Kind(nil, nil, nil)
	for name, c := range map[string]struct {
		change  func(*outside.ConnectorCommand)
		pointer string
	}{
		"as it is":          {func(*outside.ConnectorCommand) {}, ""},
		"with paths":        {func(c *outside.ConnectorCommand) { c.CancelPath = "/stop/it" }, ""},
		"that reads":        {func(c *outside.ConnectorCommand) { c.Effect = domain.EffectRead }, "/effect"},
		"too long":          {func(c *outside.ConnectorCommand) { c.Deadline = 25 * time.Hour }, "/deadline"},
		"too short":         {func(c *outside.ConnectorCommand) { c.Deadline = time.Millisecond }, "/deadline"},
		"stopped elsewhere": {func(c *outside.ConnectorCommand) { c.CancelPath = "//evil.example/stop" }, "/cancel_path"},
		"stopped above":     {func(c *outside.ConnectorCommand) { c.CancelPath = "/a/../../b" }, "/cancel_path"},
		"with a query":      {func(c *outside.ConnectorCommand) { c.CancelPath = "/stop?all=1" }, "/cancel_path"},
		"by GET":            {func(c *outside.ConnectorCommand) { c.Request = &outside.CommandRequest{Method: "GET", Path: "/a"} }, "/request"},
		"a document twice":  {func(c *outside.ConnectorCommand) { c.Documents = []string{"a", "b", "a"} }, "/documents/2"},
		"to another path":   {func(c *outside.ConnectorCommand) { c.Request = &outside.CommandRequest{Method: "POST", Path: "a"} }, "/request/path"},
	} {
		command := &outside.ConnectorCommand{Name: "RENDER", Effect: domain.EffectNonIdempotent, Deadline: time.Hour}
		c.change(command)
		err := kind.Check(nil, command)
		got := ""
		if e, ok := errors.AsType[*domain.Error](err); ok && len(e.Fields) > 0 {
			got = e.Fields[0].Pointer
		}
		if got != c.pointer || (err == nil) != (c.pointer == "") {
			t.Errorf("%s: %v at %q, want %q", name, err, got, c.pointer)
		}
	}
}

// An order is taken by its status: an answer that stays open holds nothing up.
func TestAnAnswerThatStaysOpen(t *testing.T) {
	c, _ := dialed(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "noted")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, "", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := c.Call(ctx, ordered()); err != nil || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
}
