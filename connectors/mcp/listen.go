package mcp

import (
	"context"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxListenFailures bounds the consecutive failures after which the server is assumed to have no
// notification stream.
const maxListenFailures = 5

// listenTime bounds the wait for that stream to open. Requests sent before it is open could lose
// notifications, but some servers send no headers until the first one.
const listenTime = time.Second

// listen keeps the notification stream open, on which servers before 2026-07-28 announce changes
// and ask questions about calls. A broken stream is not a failure: the list is then refreshed after
// maxListAge.
func (l *httpLink) listen(ctx context.Context) {
	opened := make(chan struct{})
	open := sync.OnceFunc(func() { close(opened) })
	l.begin(func() {
		defer open()
		var at cursor
		for failures := 0; failures < maxListenFailures; failures++ {
			if received, more := l.readNotifications(l.ctx, &at, open); !more {
				return
			} else if received {
				failures = 0
			}
			select {
			case <-time.After(at.wait() << failures):
			case <-l.ctx.Done():
				return
			}
		}
	})
	select {
	case <-opened:
	case <-ctx.Done():
	case <-time.After(listenTime):
	}
}

// readNotifications reads one such stream to its end.
func (l *httpLink) readNotifications(ctx context.Context, at *cursor, open func()) (received, more bool) {
	headers := http.Header{"Accept": {"text/event-stream"}}
	if at.id != "" {
		headers.Set("Last-Event-Id", at.id)
	}
	was := l.hasSession()
	defer open()
	response, err := l.do(ctx, &exchange{}, http.MethodGet, nil, headers)
	if err != nil {
		if was { // 404 without the stream ever having been open does not mean a lost session
			l.state.Lock()
			l.gone = false
			l.state.Unlock()
		}
		return false, ctx.Err() == nil && isTemporary(err)
	}
	defer func() { _ = response.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		return false, false
	}
	open()
	body, err := unpacked(response)
	if err != nil {
		return false, false
	}
	for events := newEvents(body); ; received = true {
		data, err := events.next(at)
		if err != nil {
			return received, ctx.Err() == nil
		}
		m, err := decode(data)
		if err != nil {
			continue // not a message
		}
		if request, ok := m.(*jsonrpc.Request); ok {
			of, e := l.onlyCall() // many servers ask questions about a call here
			l.take(of, e, request)
		}
	}
}

// hasSession reports whether the session exists and is known to the server.
func (l *httpLink) hasSession() bool {
	l.state.Lock()
	defer l.state.Unlock()
	return l.session != "" && !l.gone
}
