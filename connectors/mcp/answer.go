package mcp

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

// readAnswer reads the response to a POST: a single message, or a stream that contains the answer.
func (l *httpLink) readAnswer(
	ctx context.Context, e *exchange, request *jsonrpc.Request, response *http.Response,
) (*jsonrpc.Response, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		defer egress.Discard(response.Body)
		body, err := unpacked(response)
		if err != nil {
			return nil, brokeOff(ctx, err)
		}
		data, err := wholeObject(body)
		if err != nil {
			return nil, brokeOff(ctx, err)
		}
		return one(request, data)
	case "text/event-stream":
		return l.readStream(ctx, e, request, response)
	}
	egress.Discard(response.Body)
	return nil, unknownOutcome("The server's answer is neither JSON nor a stream of events.", nil)
}

// unpacked decompresses a body that is compressed although that was not requested.
func unpacked(response *http.Response) (io.Reader, error) {
	if !strings.EqualFold(response.Header.Get("Content-Encoding"), "gzip") {
		return response.Body, nil
	}
	body, err := gzip.NewReader(response.Body)
	if err != nil {
		return nil, fmt.Errorf("decompress the answer: %w", err)
	}
	return body, nil
}

// wholeObject reads a JSON object up to its closing brace and does not wait for the end of a body
// that stays open. Anything other than an object is read to its end.
func wholeObject(body io.Reader) ([]byte, error) {
	var data []byte
	depth, quoted, escaped := 0, false, false
	part := make([]byte, 16<<10)
	for {
		n, err := body.Read(part)
		for i, b := range part[:n] {
			switch {
			case escaped:
				escaped = false
			case quoted:
				escaped, quoted = b == '\\', b != '"'
			case b == '"':
				quoted = true
			case b == '{' || b == '[':
				depth++
			case b == '}' || b == ']':
				if depth--; depth == 0 && b == '}' {
					return append(data, part[:i+1]...), nil
				}
			}
		}
		data = append(data, part[:n]...)
		switch {
		case errors.Is(err, io.EOF), len(data) > MaxMessageBytes:
			return data, nil
		case err != nil:
			return nil, err //nolint:wrapcheck // the caller adds context
		}
	}
}

func one(request *jsonrpc.Request, data []byte) (*jsonrpc.Response, error) {
	if len(data) > MaxMessageBytes {
		return nil, unknownOutcome("The server's answer is longer than 8 MiB.", nil)
	}
	m, err := decodeFor(request.ID, data)
	if err != nil {
		return nil, unknownOutcome("The server's answer cannot be read: it is not a protocol message.", err)
	}
	return isAnswer(request, m)
}

func isAnswer(request *jsonrpc.Request, m jsonrpc.Message) (*jsonrpc.Response, error) {
	response, ok := m.(*jsonrpc.Response)
	if !ok || !sameID(response.ID, request.ID) {
		return nil, unknownOutcome("The server's answer does not match the request.", nil)
	}
	response.ID = request.ID
	return response, nil
}

// readStream reads events up to the answer. Later events are ignored.
func (l *httpLink) readStream(
	ctx context.Context, e *exchange, request *jsonrpc.Request, response *http.Response,
) (*jsonrpc.Response, error) {
	var last cursor
	for {
		answer, err := l.readBody(ctx, e, request, response, &last)
		if answer != nil || (err != nil && !errors.Is(err, errStreamOver)) {
			return answer, err
		}
		if unread, ok := errors.AsType[*outside.Error](err); ok && last.id == "" {
			return nil, unread
		}
		if last.id == "" {
			return nil, brokeOff(ctx, err)
		}
		if response, err = l.resume(ctx, e, &last); err != nil { //nolint:bodyclose // below
			return nil, err
		}
	}
}

// readBody reads the events of one response and closes it: a server may leave it open.
func (l *httpLink) readBody(
	ctx context.Context, e *exchange, request *jsonrpc.Request, response *http.Response, last *cursor,
) (*jsonrpc.Response, error) {
	defer func() { _ = response.Body.Close() }()
	body, err := unpacked(response)
	if err != nil {
		return nil, brokeOff(ctx, err)
	}
	return l.readEvents(ctx, e, request, body, last)
}

// readEvents returns nil and errStreamOver if the stream ended without the answer.
func (l *httpLink) readEvents(
	ctx context.Context, e *exchange, request *jsonrpc.Request, body io.Reader, last *cursor,
) (*jsonrpc.Response, error) {
	events := newEvents(body)
	var unread error
	for {
		data, err := events.next(last)
		if errors.Is(err, errTooLong) {
			return nil, unknownOutcome("The server's answer is longer than 8 MiB.", err)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, brokeOff(ctx, err)
			}
			return nil, errors.Join(errStreamOver, unread)
		}
		m, err := decodeFor(request.ID, data)
		if err != nil { // not a message: the answer may follow
			unread = unknownOutcome("The server's answer cannot be read: it is not a protocol message.", err)
			continue
		}
		if asked, ok := m.(*jsonrpc.Request); ok {
			l.take(ctx, e, asked)
			continue
		}
		return isAnswer(request, m)
	}
}

// take handles notifications and requests that the server sends before its answer.
func (l *httpLink) take(ctx context.Context, e *exchange, request *jsonrpc.Request) {
	if request.Method != methodElicit || !request.IsCall() {
		l.deliver(request)
		return
	}
	l.begin(func() {
		ctx, done := l.within(ctx)
		defer done()
		response := answer(ctx, e, request)
		if ctx.Err() == nil {
			_ = l.post(ctx, response) // // the server has no deadline for it
		}
	})
}

var errStreamOver = errors.New("the stream ended without an answer")

// maxResumes bounds how often a stream is resumed for one answer.
const maxResumes = 20

// resume requests the rest of a stream, as servers of 2025-11-25 allow.
func (l *httpLink) resume(ctx context.Context, e *exchange, last *cursor) (*http.Response, error) {
	if last.resumed++; last.resumed > maxResumes {
		return nil, unknownOutcome("The server kept ending the stream before its answer was complete.", nil)
	}
	select {
	case <-time.After(last.wait()):
	case <-ctx.Done():
		return nil, brokeOff(ctx, ctx.Err())
	}
	headers := http.Header{"Accept": {"text/event-stream"}, "Last-Event-Id": {last.id}}
	return l.do(ctx, e, http.MethodGet, nil, headers)
}

// brokeOff is the error of an interrupted answer: the server received the request.
func brokeOff(ctx context.Context, cause error) *outside.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return unknownOutcome("The server did not answer in time.", cause)
	}
	return unknownOutcome("The connection broke off before the server answered.", cause)
}

// unreachable classifies a request without a response.
func unreachable(ctx context.Context, err error, left bool) *outside.Error {
	if already, ok := errors.AsType[*outside.Error](err); ok {
		return already
	}
	reason := egress.ReasonOf(err)
	if ctx.Err() != nil {
		reason = egress.ReasonTimeout
	}
	fault, message := outside.FaultNotSent, "The server cannot be reached: "
	switch {
	case reason == egress.ReasonMoved:
		fault, message = outside.FaultRefused, "The server redirected the request: "
	case left:
		fault, message = outside.FaultUnknown, "The server did not answer: "
	}
	if reason == egress.ReasonNone {
		reason = egress.ReasonBrokeOff
	}
	temporary := !reason.Kept() && reason != egress.ReasonMoved
	return &outside.Error{Fault: fault, Message: message + string(reason) + ".", Temporary: temporary, Cause: err}
}

// statusError interprets an unsuccessful status.
func (l *httpLink) statusError(response *http.Response) error {
	data := egress.Sample(response.Body, 64<<10, sampleTime) // // optional details
	status := response.StatusCode
	message := "The server answered with status " + strconv.Itoa(status) + "."
	if status == http.StatusUnauthorized || (status == http.StatusForbidden && wantsMoreScope(response)) {
		return signIn(challengeOf(response))
	}
	if (status == http.StatusNotFound || status == http.StatusBadRequest) && l.SessionID() != "" {
		l.state.Lock()
		l.gone = true // some servers use 400 for an unknown session
		l.state.Unlock()
		if status == http.StatusNotFound {
			return &outside.Error{Fault: outside.FaultRefused, Message: message, Temporary: true, Cause: errSessionGone}
		}
	}
	if m, err := jsonrpc.DecodeMessage(data); err == nil && status < 500 {
		if said, ok := m.(*jsonrpc.Response); ok && said.Error != nil {
			return said.Error // a protocol error is an answer
		}
	}
	after := retryAfter(response.Header.Get("Retry-After"))
	switch {
	case status == http.StatusTooManyRequests:
		return &outside.Error{Fault: outside.FaultRefused, Message: message, Temporary: true, RetryAfter: after}
	case status < 500, status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return refused(message, nil)
	}
	return &outside.Error{Fault: outside.FaultUnknown, Message: message, Temporary: true, RetryAfter: after}
}

// sampleTime bounds reading the body of an unsuccessful response.
const sampleTime = time.Second

var errSessionGone = errors.New("the server has forgotten the session")

const maxRetryAfter = time.Hour

func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(clock.System()), maxRetryAfter))
	}
	return 0
}
