package mcp

import (
	"context"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxListenFailures is how often in a row the stream of news may be refused before the
// server is believed to have none.
const maxListenFailures = 5

// listenTime bounds the wait for that stream: what is asked before it is open is lost, but
// some servers say nothing until they have something to say.
const listenTime = time.Second

// listen keeps the stream open on which servers before 2026-07-28 tell their news, and ask
// what belongs to a call. It breaking is no failure of anything: the list is then only as
// old as maxListAge.
func (l *httpLink) listen(ctx context.Context) {
	opened := make(chan struct{})
	open := sync.OnceFunc(func() { close(opened) })
	l.begin(func() {
		defer open()
		var at cursor
		for failures := 0; failures < maxListenFailures; failures++ {
			if heard, more := l.hear(l.ctx, &at, open); !more {
				return
			} else if heard {
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

// hear reads one such stream to its end.
func (l *httpLink) hear(ctx context.Context, at *cursor, open func()) (heard, more bool) {
	headers := http.Header{"Accept": {"text/event-stream"}}
	if at.id != "" {
		headers.Set("Last-Event-Id", at.id)
	}
	was := l.hasSession()
	defer open()
	response, err := l.do(ctx, &exchange{}, http.MethodGet, nil, headers)
	if err != nil {
		if was { // a stream that is not offered is no session that was forgotten
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
	for events := newEvents(body); ; heard = true {
		data, err := events.next(at)
		if err != nil {
			return heard, ctx.Err() == nil
		}
		m, err := decode(data)
		if err != nil {
			continue // it is no message
		}
		if request, ok := m.(*jsonrpc.Request); ok {
			of, e := l.onlyCall() // many servers ask here what belongs to a call
			l.take(of, e, request)
		}
	}
}

// hasSession says whether there is one that the server has not forgotten.
func (l *httpLink) hasSession() bool {
	l.state.Lock()
	defer l.state.Unlock()
	return l.session != "" && !l.gone
}
