package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

// hijack takes a connection over and breaks it off after what is written.
func hijack(w http.ResponseWriter, text string) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = c.Write([]byte(text))
	_ = c.Close()
}

func answering(kind string, status int, body string) func(http.ResponseWriter, *http.Request, wireMessage) {
	return func(w http.ResponseWriter, _ *http.Request, _ wireMessage) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hostile is what a server may do to a call, and what it means.
var hostile = map[string]struct {
	serve     func(http.ResponseWriter, *http.Request, wireMessage)
	fault     outside.Fault
	message   string
	temporary bool
}{
	"hangs": {
		func(_ http.ResponseWriter, r *http.Request, _ wireMessage) { <-r.Context().Done() },
		outside.FaultUnknown, "in time", true,
	},
	"trickles": {
		func(w http.ResponseWriter, r *http.Request, m wireMessage) {
			w.Header().Set("Content-Type", "application/json")
			for range 100 {
				_, _ = w.Write([]byte(" "))
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		}, outside.FaultUnknown, "in time", true,
	},
	"ten megabytes": {
		func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
			reply(w, m, `{"content":[{"type":"text","text":"`+strings.Repeat("x", 10<<20)+`"}]}`)
		}, outside.FaultUnknown, "longer than 8 MiB", true,
	},
	"ten megabytes in an event": {
		func(w http.ResponseWriter, _ *http.Request, _ wireMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: " + strings.Repeat("x", 10<<20)))
		}, outside.FaultUnknown, "longer than 8 MiB", true,
	},
	"HTML":           {answering("text/html", 200, "<html>hello</html>"), outside.FaultUnknown, "neither JSON", true},
	"HTML as JSON":   {answering("application/json", 200, "<html>hello</html>"), outside.FaultUnknown, "not a protocol message", true},
	"half of a JSON": {answering("application/json", 200, `{"jsonrpc":"2.0","id":`), outside.FaultUnknown, "not a protocol message", true},
	"other JSON":     {answering("application/json", 200, `{"hello":"you"}`), outside.FaultUnknown, "not a protocol message", true},
	"a list":         {answering("application/json", 200, `[]`), outside.FaultUnknown, "not a protocol message", true},
	"nothing":        {answering("application/json", 200, ""), outside.FaultUnknown, "not a protocol message", true},
	"only accepted":  {answering("", 202, ""), outside.FaultUnknown, "neither JSON", true},
	"the wrong id": {
		answering("application/json", 200, `{"jsonrpc":"2.0","id":"other","result":{"content":[]}}`),
		outside.FaultUnknown, "does not match the request", true,
	},
	"the wrong id in a stream": {
		answering("text/event-stream", 200, "data: {\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{\"content\":[]}}\n\n"),
		outside.FaultUnknown, "does not match the request", true,
	},
	"no object": {
		func(w http.ResponseWriter, _ *http.Request, m wireMessage) { reply(w, m, `5`) },
		outside.FaultUnknown, "cannot be read", true,
	},
	"content of another kind": {
		func(w http.ResponseWriter, _ *http.Request, m wireMessage) { reply(w, m, `{"content":"text"}`) },
		outside.FaultUnknown, "cannot be read", true,
	},
	"a stream that ends": {
		answering("text/event-stream", 200, ": hello\n\n"), outside.FaultUnknown, "broke off", true,
	},
	"a stream that breaks": {
		func(w http.ResponseWriter, _ *http.Request, _ wireMessage) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndata")
		}, outside.FaultUnknown, "broke off", true,
	},
	"a connection that breaks": {
		func(w http.ResponseWriter, _ *http.Request, _ wireMessage) { hijack(w, "") },
		outside.FaultUnknown, "did not answer: the connection broke off", true,
	},
	"headers without an end": {
		func(w http.ResponseWriter, _ *http.Request, _ wireMessage) {
			hijack(w, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 2<<20))
		}, outside.FaultUnknown, "did not answer", true,
	},
	"no HTTP":          {func(w http.ResponseWriter, _ *http.Request, _ wireMessage) { hijack(w, "220 mail\r\n") }, outside.FaultUnknown, "did not answer", true},
	"501":              {answering("text/html", 501, "no"), outside.FaultRefused, "status 501", false},
	"500":              {answering("text/html", 500, "no"), outside.FaultUnknown, "status 500", true},
	"502 in HTML":      {answering("text/html", 502, "<html>"), outside.FaultUnknown, "status 502", true},
	"500 and an error": {answering("application/json", 500, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`), outside.FaultUnknown, "status 500", true},
	"401":              {answering("", 401, ""), outside.FaultSignIn, "new sign-in", false},
	"403":              {answering("", 403, ""), outside.FaultRefused, "status 403", false},
	"429":              {answering("", 429, ""), outside.FaultRefused, "status 429", true},
	"moved": {func(w http.ResponseWriter, r *http.Request, _ wireMessage) {
		http.Redirect(w, r, "http://169.254.169.254/", 307)
	}, outside.FaultRefused, "moved", false},
	"a task of no name": {func(w http.ResponseWriter, _ *http.Request, m wireMessage) { reply(w, m, `{"resultType":"task"}`) }, outside.FaultUnknown, "without an ID", true},
	"busy": {func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		reply(w, m, `{"resultType":"input_required","inputRequests":{}}`)
	}, outside.FaultRefused, "busy", true},
	"a question for AIs": {func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		reply(w, m, `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}`)
	}, outside.FaultRefused, "not supported here", false},
}

// Each ends its own call with what it means, within the call's time, and the next call works.
func TestHostileServers(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		for name, h := range hostile {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newRawServer(t, legacy)
				client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
				c := open(t, Config{URL: s.URL}, func(o *Options) { o.Client = client })
				t.Cleanup(client.CloseIdleConnections)
				if _, err := try(t.Context(), c, doIt(""), `{}`); err != nil {
					t.Fatalf("before: %v", err)
				}
				s.on("tools/call", h.serve)
				limit := time.Minute
				if h.message == "in time" {
					limit = time.Second
				}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				_, err := try(ctx, c, doIt(""), `{}`)
				e, ok := errors.AsType[*outside.Error](err)
				if !ok || e.Fault != h.fault || !strings.Contains(e.Message, h.message) || e.Temporary != h.temporary {
					t.Errorf("%#v, cause %v", err, unwrap(err))
				}
				if n := s.count("tools/call"); n != 2 {
					t.Errorf("%d calls were sent", n)
				}
				s.on("tools/call", nil)
				if r, err := try(t.Context(), c, doIt(""), `{}`); err != nil || r.Text != "done" {
					t.Errorf("after: %+v %v (%v)", r, err, unwrap(err))
				}
			})
		}
	})
}

// What is odd and no failure.
func TestOddAnswers(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`
	for name, serve := range map[string]func(w http.ResponseWriter, r *http.Request, m wireMessage){
		"two answers": func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			event(w, answer, m.ID, "first")
			event(w, answer, m.ID, "second")
		},
		"a thousand notifications": func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			for i := range 1000 {
				event(w, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`, i)
			}
			event(w, answer, m.ID, "first")
		},
		"a question for an AI": func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			event(w, `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
			event(w, `{"jsonrpc":"2.0","id":8,"method":"roots/list"}`)
			event(w, answer, m.ID, "first")
		},
		"lines of other systems": func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: message\r\nid: 1\r\ndata:"+answer+"\r\n\r\n", m.ID, "first")
		},
	} {
		t.Run(name, func(t *testing.T) {
			eras(t, func(t *testing.T, legacy bool) {
				s := newRawServer(t, legacy)
				s.on("tools/call", serve)
				r, err := try(t.Context(), open(t, Config{URL: s.URL}), doIt(""), `{}`)
				if err != nil || r.Text != "first" {
					t.Errorf("%+v %v (%v)", r, err, unwrap(err))
				}
			})
		})
	}
}

// An error of the protocol is the server's answer: the AI reads it.
func TestErrorsAreAnswers(t *testing.T) {
	for _, status := range []int{200, 400} {
		eras(t, func(t *testing.T, legacy bool) {
			s := newRawServer(t, legacy)
			s.on("tools/call", func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"x is missing"}}`, m.ID)
			})
			r, err := try(t.Context(), open(t, Config{URL: s.URL}), doIt(""), `{}`)
			if err != nil || !r.Failed || r.Text != "The server answered with error -32602: x is missing" {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
}

// Before anything left, no outcome is unknown.
func TestNotSent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String()
	_ = listener.Close()
	changed := newRawServer(t, false)
	strict := egress.NewClient(egress.Config{})
	for name, tt := range map[string]struct {
		config  Config
		change  func(*Options)
		command outside.ConnectorCommand
		message string
	}{
		"connection refused":   {Config{URL: closed}, func(*Options) {}, doIt(""), "connection refused"},
		"a private address":    {Config{URL: changed.URL}, func(o *Options) { o.Client = strict }, doIt(""), "not allowed"},
		"no name":              {Config{URL: "http://name.invalid/"}, func(o *Options) { o.Client = strict }, doIt(""), "no such host"},
		"no address":           {Config{URL: "::"}, func(*Options) {}, doIt(""), "URL is invalid"},
		"neither":              {Config{}, func(*Options) {}, doIt(""), "neither"},
		"no program allowed":   {Config{Command: "true"}, func(o *Options) { o.AllowStdio = false }, doIt(""), "FERMATA_ALLOW_STDIO"},
		"no such program":      {Config{Command: "/no/such/program"}, func(*Options) {}, doIt(""), "could not be started"},
		"another definition":   {Config{URL: changed.URL}, func(*Options) {}, doIt("other"), "has changed the definition"},
		"a command of another": {Config{URL: changed.URL}, func(*Options) {}, outside.ConnectorCommand{Remote: "other"}, "no longer offers"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := try(t.Context(), open(t, tt.config, tt.change), tt.command, `{}`)
			e, ok := errors.AsType[*outside.Error](err)
			if !ok || e.Fault != outside.FaultNotSent || !strings.Contains(e.Message, tt.message) {
				t.Errorf("%#v, cause %v", err, unwrap(err))
			}
		})
	}
	if n := changed.count("tools/call"); n > 0 {
		t.Errorf("%d calls were sent", n)
	}
}

// What goes wrong before the call is sent leaves no unknown outcome either.
func TestHostileGreetings(t *testing.T) {
	for name, h := range hostile {
		for _, method := range []string{methodDiscover, methodInitialize, "tools/list"} {
			t.Run(name+" at "+method, func(t *testing.T) {
				t.Parallel()
				s := newRawServer(t, method == methodInitialize)
				s.on(method, h.serve)
				if method == methodDiscover {
					s.on(methodInitialize, h.serve)
				}
				client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
				c := open(t, Config{URL: s.URL}, func(o *Options) { o.Client = client })
				t.Cleanup(client.CloseIdleConnections)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := try(ctx, c, doIt(""), `{}`)
				fault := outside.FaultOf(err)
				if fault != outside.FaultNotSent && (fault != outside.FaultSignIn || h.fault != fault) {
					t.Errorf("%#v, cause %v", err, unwrap(err))
				}
				if n := s.count("tools/call"); n > 0 {
					t.Errorf("%d calls were sent", n)
				}
			})
		}
	}
}
