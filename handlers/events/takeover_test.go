package events_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestAStreamGoesOnByteForByte verifies that a stream continues byte for byte when its connection is taken over:
// with small frames, many at once and one that is larger than the write buffer, chunked or (HTTP/1.0) not, up to an
// orderly end.
func TestAStreamGoesOnByteForByte(t *testing.T) {
	for _, proto := range []string{"1.0", "1.1"} {
		t.Run(proto, func(t *testing.T) {
			e := edgetest.New(t, servertest.RootKey, clock.System, nil)
			request := "GET /v1/sessions/ses_1/events?after=0 HTTP/" + proto + "\r\nHost: localhost\r\nAuthorization: Bearer " + servertest.RootKey
			r := bufio.NewReader(e.Dial(t, request+"\r\n\r\n"))
			res, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != http.StatusOK {
				t.Fatal(res.Status)
			}
			if chunked := len(res.TransferEncoding) > 0; chunked != (proto == "1.1") || !res.Close {
				t.Errorf("transfer encoding %v, close %v", res.TransferEncoding, res.Close)
			}
			testkit.Until(t, "the stream to be open", func() bool { return e.Broker.Load().Streams == 1 })
			var want []string
			for i := range 40 {
				data, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", i*i*i)})
				want = append(want, string(data[1:]))
				e.Broker.Publish(e.Store.CommitData("ses_1", domain.LogNotice, data))
			}
			e.Broker.Delta("default", "ses_1", "msg_1", "text", "é")
			c := &edgetest.SSEClient{T: t, Lines: bufio.NewScanner(res.Body)}
			c.Lines.Buffer(nil, 1<<20)
			for i, data := range want {
				if got := c.Want(fmt.Sprint(i+1, ":notice")); got.Data != `{"type":"notice",`+data {
					t.Fatalf("event %d has %d bytes", i+1, len(got.Data))
				}
			}
			c.Want("message.delta")
			e.Broker.Drain()
			c.Want("bye")
			if _, more := c.Next(); more || c.Lines.Err() != nil {
				t.Errorf("after the end: %v", c.Lines.Err()) // without the last chunk: unexpected EOF
			}
			if _, err := r.ReadByte(); err != io.EOF {
				t.Errorf("the connection: %v", err)
			}
		})
	}
}

// TestAListenerWhoLeavesIsNoticed verifies that a disconnect is noticed immediately, and that the request is logged
// only then.
func TestAListenerWhoLeavesIsNoticed(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	conn := e.Dial(t, "GET /v1/sessions/ses_1/events HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: mine\r\n\r\n")
	testkit.Until(t, "the stream to be open", func() bool { return e.Broker.Load().Streams == 1 })
	if strings.Contains(e.Logged.String(), `"mine"`) {
		t.Error("logged before its end")
	}
	_ = conn.Close()
	testkit.Until(t, "the end of the stream", func() bool { return e.Broker.Load().Streams == 0 })
	testkit.Until(t, "the line in the log", func() bool { return strings.Contains(e.Logged.String(), `"mine"`) })
	line := e.Logged.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, `"status":200`) || !strings.Contains(line, `/events"`) || strings.Contains(line, `"bytes":0`) {
		t.Error(line)
	}
	testkit.Until(t, "its place to be free", func() bool { return e.OpenStreams.Count() == 0 })
}

// What is sent behind the request of a stream is never read as a request.
func TestNothingIsReadBehindAStreamsRequest(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	request := "GET /v1/sessions/ses_1/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
	conn := e.Dial(t, request+request)
	testkit.Until(t, "the stream to be open", func() bool { return e.Broker.Load().Streams == 1 })
	_, _ = io.WriteString(conn, request)
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogNotice))
	r := bufio.NewReader(conn)
	var all strings.Builder
	for !strings.Contains(all.String(), "event: notice") {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(line)
	}
	if n := strings.Count(all.String(), "HTTP/1.1 200"); n != 1 {
		t.Errorf("%d answers", n)
	}
}

// panickingAuth panics when it is asked whether a listener may go on.
type panickingAuth struct{ edge.Authenticator }

func (panickingAuth) Still(context.Context, *auth.Identity) error { panic("a mistake") }

// A panic in the middle of a stream ends that stream alone, and the log says where it came
// from.
func TestAPanicEndsItsStreamAlone(t *testing.T) {
	var ahead atomic.Int64
	e := edgetest.New(t, "", func() time.Time { return clock.System().Add(time.Duration(ahead.Load())) }, nil)
	c := e.Listen(t, "/v1/sessions/ses_1/events?after=0")
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogNotice))
	c.Want("1:notice")
	e.Edge.Auth = panickingAuth{e.Edge.Auth}
	ahead.Store(int64(edge.AskAgain))
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogNotice))
	if ev, more := c.Next(); more {
		t.Errorf("it continues with %v", ev)
	}
	testkit.Until(t, "the stream's end", func() bool {
		return e.Broker.Load().Streams == 0 && strings.Contains(e.Logged.String(), "a handler panicked")
	})
	if log := e.Logged.String(); !strings.Contains(log, "a mistake") || !strings.Contains(log, "panickingAuth") {
		t.Error(log)
	}
	e.Listen(t, "/v1/sessions/ses_1/events?after=1").Want("2:notice")
}

// Over HTTP/2 a connection cannot be taken over, and a stream is the same.
func TestAStreamOverHTTP2(t *testing.T) {
	e, handler := edgetest.Build(t, "", clock.System, nil)
	e.HTTP = httptest.NewUnstartedServer(handler)
	e.HTTP.EnableHTTP2 = true
	e.HTTP.StartTLS()
	t.Cleanup(func() { e.Broker.Drain(); e.HTTP.Close() })
	res, err := e.HTTP.Client().Get(e.HTTP.URL + "/v1/sessions/ses_1/events?after=0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.ProtoMajor != 2 {
		t.Fatal(res.Proto)
	}
	c := &edgetest.SSEClient{T: t, Lines: bufio.NewScanner(res.Body)}
	e.Broker.Publish(e.Store.Commit("ses_1", domain.LogNotice))
	c.Want("1:notice")
	e.Broker.Drain()
	c.Want("bye")
}
