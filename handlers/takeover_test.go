package handlers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// dial asks for a stream on a connection of the test's own.
func (e *edgeServer) dial(t *testing.T, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", e.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestAStreamGoesOnByteForByte verifies that a stream continues byte for byte when its connection is taken over:
// with small frames, many at once and one that is larger than the write buffer, chunked or (HTTP/1.0) not, up to an
// orderly end.
func TestAStreamGoesOnByteForByte(t *testing.T) {
	for _, proto := range []string{"1.0", "1.1"} {
		t.Run(proto, func(t *testing.T) {
			e := newEdgeServer(t, aRootKey, clock.System, nil)
			request := "GET /v1/sessions/ses_1/events?after=0 HTTP/" + proto + "\r\nHost: localhost\r\nAuthorization: Bearer " + aRootKey
			r := bufio.NewReader(e.dial(t, request+"\r\n\r\n"))
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
			testkit.Until(t, "the stream to be open", func() bool { return e.broker.Load().Streams == 1 })
			var want []string
			for i := range 40 {
				data, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", i*i*i)})
				want = append(want, string(data[1:]))
				e.broker.Publish(e.store.commitData("ses_1", domain.LogNotice, data))
			}
			e.broker.Delta("default", "ses_1", "msg_1", "text", "é")
			c := &sseClient{t: t, lines: bufio.NewScanner(res.Body)}
			c.lines.Buffer(nil, 1<<20)
			for i, data := range want {
				if got := c.want(fmt.Sprint(i+1, ":notice")); got.Data != `{"type":"notice",`+data {
					t.Fatalf("event %d has %d bytes", i+1, len(got.Data))
				}
			}
			c.want("message.delta")
			e.broker.Drain()
			c.want("bye")
			if _, more := c.next(); more || c.lines.Err() != nil {
				t.Errorf("after the end: %v", c.lines.Err()) // without the last chunk: unexpected EOF
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
	e := newEdgeServer(t, "", clock.System, nil)
	conn := e.dial(t, "GET /v1/sessions/ses_1/events HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: mine\r\n\r\n")
	testkit.Until(t, "the stream to be open", func() bool { return e.broker.Load().Streams == 1 })
	if strings.Contains(e.log.String(), `"mine"`) {
		t.Error("logged before its end")
	}
	_ = conn.Close()
	testkit.Until(t, "the end of the stream", func() bool { return e.broker.Load().Streams == 0 })
	testkit.Until(t, "the line in the log", func() bool { return strings.Contains(e.log.String(), `"mine"`) })
	line := e.log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, `"status":200`) || !strings.Contains(line, `/events"`) || strings.Contains(line, `"bytes":0`) {
		t.Error(line)
	}
	testkit.Until(t, "its place to be free", func() bool { return e.open.count() == 0 })
}

// What is sent behind the request of a stream is never read as a request.
func TestNothingIsReadBehindAStreamsRequest(t *testing.T) {
	e := newEdgeServer(t, "", clock.System, nil)
	request := "GET /v1/sessions/ses_1/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
	conn := e.dial(t, request+request)
	testkit.Until(t, "the stream to be open", func() bool { return e.broker.Load().Streams == 1 })
	_, _ = io.WriteString(conn, request)
	e.broker.Publish(e.store.commit("ses_1", domain.LogNotice))
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
type panickingAuth struct{ Authenticator }

func (panickingAuth) Still(context.Context, *auth.Identity) error { panic("a mistake") }

// A panic in the middle of a stream ends that stream alone, and the log says where it came
// from.
func TestAPanicEndsItsStreamAlone(t *testing.T) {
	var ahead atomic.Int64
	e := newEdgeServer(t, "", func() time.Time { return clock.System().Add(time.Duration(ahead.Load())) }, nil)
	c := e.listen(t, "/v1/sessions/ses_1/events?after=0")
	e.broker.Publish(e.store.commit("ses_1", domain.LogNotice))
	c.want("1:notice")
	e.edge.Auth = panickingAuth{e.edge.Auth}
	ahead.Store(int64(askAgain))
	e.broker.Publish(e.store.commit("ses_1", domain.LogNotice))
	if ev, more := c.next(); more {
		t.Errorf("it continues with %v", ev)
	}
	testkit.Until(t, "the stream's end", func() bool {
		return e.broker.Load().Streams == 0 && strings.Contains(e.log.String(), "a handler panicked")
	})
	if log := e.log.String(); !strings.Contains(log, "a mistake") || !strings.Contains(log, "panickingAuth") {
		t.Error(log)
	}
	e.listen(t, "/v1/sessions/ses_1/events?after=1").want("2:notice")
}

// Over HTTP/2 a connection cannot be taken over, and a stream is the same.
func TestAStreamOverHTTP2(t *testing.T) {
	e, handler := buildEdge(t, "", clock.System, nil)
	e.http = httptest.NewUnstartedServer(handler)
	e.http.EnableHTTP2 = true
	e.http.StartTLS()
	t.Cleanup(func() { e.broker.Drain(); e.http.Close() })
	res, err := e.http.Client().Get(e.http.URL + "/v1/sessions/ses_1/events?after=0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.ProtoMajor != 2 {
		t.Fatal(res.Proto)
	}
	c := &sseClient{t: t, lines: bufio.NewScanner(res.Body)}
	e.broker.Publish(e.store.commit("ses_1", domain.LogNotice))
	c.want("1:notice")
	e.broker.Drain()
	c.want("bye")
}

// A listener who takes nothing in has his time for each write, and no more.
func TestAWriteHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		defer func() { _ = client.Close() }()
		own := &ownConn{conn: server, chunked: true}
		taken := make(chan error, 1)
		go func() { _, err := io.ReadFull(client, make([]byte, len("1\r\na\r\n"))); taken <- err }()
		if err := own.put([][]byte{[]byte("a")}); err != nil || <-taken != nil {
			t.Fatal(err)
		}
		for _, pause := range []time.Duration{deadlineSlack / 2, 3 * writeWithin} {
			time.Sleep(pause)
			began := time.Now()
			err := own.put([][]byte{[]byte("b")})
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) ||
				took < writeWithin-deadlineSlack || took > writeWithin {
				t.Errorf("after a pause of %s: %v after %s", pause, err, took)
			}
		}
		own.close()
	})
}

// After a write that failed the connection is closed at once, and its listener reads no end
// of the body in the middle of a chunk.
func TestACutStreamHasNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		own := &ownConn{conn: server, chunked: true}
		read := make(chan string, 1)
		go func() {
			head := make([]byte, len("8\r\nabc"))
			_, _ = io.ReadFull(client, head)
			time.Sleep(writeWithin + time.Second) // too long for what is left of the chunk
			rest, _ := io.ReadAll(client)
			read <- string(head) + string(rest)
		}()
		if err := own.put([][]byte{[]byte("abcdefgh")}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		began := time.Now()
		own.close()
		if took := time.Since(began); took > 0 {
			t.Errorf("it was closed after %s", took)
		}
		if got := <-read; got != "8\r\nabc" {
			t.Errorf("the listener has read %q", got)
		}
	})
}
