package mcp

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// stays leaves an answer open for as long as its caller is there.
func stays(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// inPieces writes each piece by itself.
func inPieces(w http.ResponseWriter, pieces ...string) {
	for _, piece := range pieces {
		_, _ = io.WriteString(w, piece)
		w.(http.Flusher).Flush()
	}
}

// stream is an answer as server-sent events.
func stream(write func(w http.ResponseWriter, answer string), open bool) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, answer string) {
		w.Header().Set("Content-Type", "text/event-stream")
		write(w, answer)
		if open {
			stays(w, r)
		}
	}
}

// body is an answer as one JSON text.
func body(write func(w http.ResponseWriter, answer string), open bool) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, answer string) {
		w.Header().Set("Content-Type", "application/json")
		write(w, answer)
		if open {
			stays(w, r)
		}
	}
}

var anID = regexp.MustCompile(`"id":(\d+)`)

func withTextID(answer string) string { return anID.ReplaceAllString(answer, `"id":"$1"`) }

func packed(answer string, frame string) func(w http.ResponseWriter, _ string) {
	return func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = fmt.Fprintf(z, frame, answer)
		_ = z.Flush()
	}
}

// framings are the ways in which an answer may come that is whole.
var framings = map[string]func(http.ResponseWriter, *http.Request, string){
	"a stream that stays open": stream(func(w http.ResponseWriter, a string) { inPieces(w, "event: message\ndata: "+a+"\n\n") }, true),
	"padding behind it": stream(func(w http.ResponseWriter, a string) {
		inPieces(w, "data: "+a+"\n\n: "+strings.Repeat("x", 2000)+"\n\n")
	}, true),
	"lines that end in CR LF": stream(func(w http.ResponseWriter, a string) { inPieces(w, "event: message\r\ndata: "+a+"\r\n\r\n") }, true),
	"lines that end in CR":    stream(func(w http.ResponseWriter, a string) { inPieces(w, "event: message\rdata: "+a+"\r\r") }, true),
	"a CR and its LF apart":   stream(func(w http.ResponseWriter, a string) { inPieces(w, "data: "+a+"\r", "\n\r", "\n") }, true),
	"a byte order mark":       stream(func(w http.ResponseWriter, a string) { inPieces(w, "\xef\xbb\xbfdata: "+a+"\n\n") }, true),
	"a mark in pieces":        stream(func(w http.ResponseWriter, a string) { inPieces(w, "\xef", "\xbb", "\xbfda", "ta: "+a+"\n\n") }, true),
	"a letter in pieces": stream(func(w http.ResponseWriter, a string) {
		at := strings.Index(a, "{") + 1
		inPieces(w, "data: "+a[:at]+"\"x\":\"\xc3", "\xa9\","+a[at:]+"\n", "\n")
	}, true),
	"a byte at a time": stream(func(w http.ResponseWriter, a string) { inPieces(w, strings.Split("data: "+a+"\n\n", "")...) }, true),
	"pings, retries and ids before it": stream(func(w http.ResponseWriter, a string) {
		inPieces(w, ": ping\n\n", "retry: 100\n\n", "id: 7\ndata:\n\n", "id\n\n", "event: ping\ndata: ping\n\n", ":\n\n", "data:"+a+"\n\n")
	}, true),
	"an event that is no message": stream(func(w http.ResponseWriter, a string) {
		inPieces(w, "data: ready\n\ndata: {\"level\":\"info\"}\n\n", "data: "+a+"\n\n")
	}, true),
	"data on several lines": stream(func(w http.ResponseWriter, a string) {
		inPieces(w, "data: "+strings.Replace(a, ",", ",\ndata: ", 1)+"\n\n")
	}, true),
	"no id, and a field of its own": stream(func(w http.ResponseWriter, a string) { inPieces(w, "event:message\nx-trace: 1\ndata: "+a+"\n\n") }, true),
	"notifications before it": stream(func(w http.ResponseWriter, a string) {
		inPieces(w, `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`+"\n\n", "data: "+a+"\n\n")
	}, true),
	"no empty line at the end": stream(func(w http.ResponseWriter, a string) { inPieces(w, "event: message\ndata: "+a+"\n") }, false),
	"no end of the last line":  stream(func(w http.ResponseWriter, a string) { inPieces(w, "data: "+a) }, false),
	"a packed stream": func(w http.ResponseWriter, r *http.Request, a string) {
		stream(packed(a, "data: %s\n\n"), true)(w, r, a)
	},
	"a packed body":        func(w http.ResponseWriter, r *http.Request, a string) { body(packed(a, "%s"), true)(w, r, a) },
	"a body that stays":    body(func(w http.ResponseWriter, a string) { inPieces(w, a) }, true),
	"a body in pieces":     body(func(w http.ResponseWriter, a string) { inPieces(w, strings.SplitAfter(a, ",")...) }, true),
	"a body with a mark":   body(func(w http.ResponseWriter, a string) { inPieces(w, "\xef\xbb\xbf "+a+"\n") }, false),
	"an id as a text":      body(func(w http.ResponseWriter, a string) { inPieces(w, withTextID(a)) }, false),
	"such an id in events": stream(func(w http.ResponseWriter, a string) { inPieces(w, "data: "+withTextID(a)+"\n\n") }, true),
}

// An answer counts as soon as it is whole, whatever surrounds it and however long its
// stream stays open: at the greeting, at a list, at a call.
func TestAnswersCountWhenWhole(t *testing.T) {
	for name, framed := range framings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eras(t, func(t *testing.T, legacy bool) {
				s := newRawServer(t, legacy)
				s.framed = framed
				c := open(t, Config{URL: s.URL})
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if l, err := c.List(ctx); err != nil || len(l.Commands) != 1 {
					t.Fatalf("list: %+v %v (%v)", l, err, unwrap(err))
				}
				if r, err := try(ctx, c, doIt(""), `{}`); err != nil || r.Text != "done" {
					t.Errorf("call: %+v %v (%v)", r, err, unwrap(err))
				}
				if n := s.count("tools/call"); n != 1 {
					t.Errorf("%d calls were sent", n)
				}
			})
		})
	}
}

// What is cut in the middle of an event is not taken for an answer.
func TestCutEvents(t *testing.T) {
	for name, text := range map[string]string{
		"half of a message": `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"te`,
		"a field's name":    "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\ndat",
		"another event":     "event: other\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newRawServer(t, false)
			s.on("tools/call", func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprintf(w, text, m.ID)
			})
			if r, err := try(t.Context(), open(t, Config{URL: s.URL}), doIt(""), `{}`); err == nil || !strings.Contains(err.Error(), "broke off") {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
}

// What is no success says so at once, although its body stays open; so does a notification.
func TestRefusalsThatStayOpen(t *testing.T) {
	for _, status := range []int{400, 403, 404, 429, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newRawServer(t, true)
			s.on(methodDiscover, func(w http.ResponseWriter, r *http.Request, _ wireMessage) {
				w.WriteHeader(status)
				inPieces(w, "no")
				stays(w, r)
			})
			s.on("notifications/initialized", func(w http.ResponseWriter, r *http.Request, _ wireMessage) {
				w.WriteHeader(http.StatusAccepted)
				stays(w, r)
			})
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			c := open(t, Config{URL: s.URL})
			_, err := c.List(ctx)
			if took := ctx.Err(); took != nil {
				t.Errorf("it took until the deadline: %v", err)
			}
			if status == 404 && err != nil {
				t.Errorf("a server that knows no discovery: %v (%v)", err, unwrap(err))
			}
		})
	}
}

// An error that names no request is about the one that was asked.
func TestErrorsWithoutAnID(t *testing.T) {
	for _, id := range []string{`"id":null,`, ``} {
		s := newRawServer(t, true)
		s.on("tools/call", func(w http.ResponseWriter, _ *http.Request, _ wireMessage) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0",%s"error":{"code":-32600,"message":"not now"}}`, id)
		})
		r, err := try(t.Context(), open(t, Config{URL: s.URL}), doIt(""), `{}`)
		if err != nil || !r.Failed || !strings.Contains(r.Text, "not now") {
			t.Errorf("%q: %+v %v", id, r, err)
		}
	}
}
