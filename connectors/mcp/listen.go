package mcp

import (
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxListenFailures is how often in a row the stream of news may be refused before the
// server is believed to have none.
const maxListenFailures = 5

// listen keeps the stream open on which servers before 2026-07-28 tell their news. It
// breaking is no failure of anything: the list is then only as old as maxListAge.
func (l *httpLink) listen() {
	l.begin(func() {
		var at cursor
		for failures := 0; failures < maxListenFailures; failures++ {
			if heard, more := l.hear(l.ctx, &at); !more {
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
}

// hear reads one such stream to its end.
func (l *httpLink) hear(ctx context.Context, at *cursor) (heard, more bool) {
	headers := http.Header{"Accept": {"text/event-stream"}}
	if at.id != "" {
		headers.Set("Last-Event-Id", at.id)
	}
	was := l.hasSession()
	response, err := l.do(ctx, &exchange{}, http.MethodGet, nil, headers) //nolint:bodyclose // below
	if err != nil {
		if was { // a stream that is not offered is no session that was forgotten
			l.state.Lock()
			l.gone = false
			l.state.Unlock()
		}
		return false, ctx.Err() == nil && isTemporary(err)
	}
	defer discard(response.Body)
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		return false, false
	}
	for events := newEvents(response.Body); ; heard = true {
		data, err := events.next(at)
		if err != nil {
			return heard, ctx.Err() == nil
		}
		m, err := decode(data)
		if err != nil {
			return false, false
		}
		if request, ok := m.(*jsonrpc.Request); ok {
			l.take(ctx, &exchange{}, request)
		}
	}
}

// hasSession says whether there is one that the server has not forgotten.
func (l *httpLink) hasSession() bool {
	l.state.Lock()
	defer l.state.Unlock()
	return l.session != "" && !l.gone
}
