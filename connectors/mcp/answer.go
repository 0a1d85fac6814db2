package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

// readAnswer reads what a POST brought: one message, or a stream with the answer in it.
func (l *httpLink) readAnswer(
	ctx context.Context, e *exchange, request *jsonrpc.Request, response *http.Response,
) (*jsonrpc.Response, error) {
	defer discard(response.Body)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		data, err := io.ReadAll(io.LimitReader(response.Body, MaxMessageBytes+1))
		if err != nil {
			return nil, brokeOff(ctx, err)
		}
		return one(request, data)
	case "text/event-stream":
		return l.readStream(ctx, e, request, response)
	}
	return nil, doubt("The server's answer is neither JSON nor a stream of events.", nil)
}

func one(request *jsonrpc.Request, data []byte) (*jsonrpc.Response, error) {
	if len(data) > MaxMessageBytes {
		return nil, doubt("The server's answer is longer than 8 MiB.", nil)
	}
	m, err := decode(data)
	if err != nil {
		return nil, doubt("The server's answer cannot be read: it is no message of the protocol.", err)
	}
	return isAnswer(request, m)
}

func isAnswer(request *jsonrpc.Request, m jsonrpc.Message) (*jsonrpc.Response, error) {
	response, ok := m.(*jsonrpc.Response)
	if !ok || response.ID != request.ID {
		return nil, doubt("The server's answer is not to what it was asked.", nil)
	}
	return response, nil
}

// readStream reads events until the answer is among them. Whatever follows it is not read.
func (l *httpLink) readStream(
	ctx context.Context, e *exchange, request *jsonrpc.Request, response *http.Response,
) (*jsonrpc.Response, error) {
	var last cursor
	for {
		answer, err := l.readEvents(ctx, e, request, response.Body, &last)
		if answer != nil || (err != nil && !errors.Is(err, errStreamOver)) {
			return answer, err
		}
		if last.id == "" {
			return nil, brokeOff(ctx, err)
		}
		if response, err = l.resume(ctx, e, &last); err != nil { //nolint:bodyclose // below
			return nil, err
		}
		defer discard(response.Body)
	}
}

// readEvents gives nil and errStreamOver when the stream ended without the answer.
func (l *httpLink) readEvents(
	ctx context.Context, e *exchange, request *jsonrpc.Request, body io.Reader, last *cursor,
) (*jsonrpc.Response, error) {
	events := newEvents(body)
	for {
		data, err := events.next(last)
		if errors.Is(err, errTooLong) {
			return nil, doubt("The server's answer is longer than 8 MiB.", err)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, brokeOff(ctx, err)
			}
			return nil, errStreamOver
		}
		m, err := decode(data)
		if err != nil {
			return nil, doubt("The server's answer cannot be read: it is no message of the protocol.", err)
		}
		if asked, ok := m.(*jsonrpc.Request); ok {
			l.take(ctx, e, asked)
			continue
		}
		return isAnswer(request, m)
	}
}

// take passes on what the server says or asks while it works.
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
			_ = l.tell(ctx, response) // the server waits for as long as it likes
		}
	})
}

var errStreamOver = errors.New("the stream ended without an answer")

// maxResumes bounds how often one answer is fetched anew.
const maxResumes = 20

// resume asks for the rest of a stream, as servers of 2025-11-25 let wait with it.
func (l *httpLink) resume(ctx context.Context, e *exchange, last *cursor) (*http.Response, error) {
	if last.resumed++; last.resumed > maxResumes {
		return nil, doubt("The server broke its answer off again and again.", nil)
	}
	select {
	case <-time.After(last.wait()):
	case <-ctx.Done():
		return nil, brokeOff(ctx, ctx.Err())
	}
	headers := http.Header{"Accept": {"text/event-stream"}, "Last-Event-Id": {last.id}}
	return l.do(ctx, e, http.MethodGet, nil, headers)
}

// discard lets the connection be used again where little is left to read.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}

// brokeOff is an answer that was cut: the server got the request.
func brokeOff(ctx context.Context, cause error) *domain.OutsideError {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return doubt("The server did not answer in time.", cause)
	}
	return doubt("The connection broke off before the server answered.", cause)
}

// unreachable says why a request got no answer at all.
func unreachable(ctx context.Context, err error, left bool) *domain.OutsideError {
	if already, ok := errors.AsType[*domain.OutsideError](err); ok {
		return already
	}
	reason := egress.ReasonOf(err)
	if ctx.Err() != nil {
		reason = egress.ReasonTimeout
	}
	fault, message := domain.FaultNotSent, "The server cannot be reached: "
	switch {
	case reason == egress.ReasonMoved:
		fault, message = domain.FaultRefused, "The server did not answer itself: "
	case left:
		fault, message = domain.FaultDoubt, "The server did not answer: "
	}
	if reason == egress.ReasonNone {
		reason = egress.ReasonBrokeOff
	}
	temporary := !reason.Kept() && reason != egress.ReasonMoved
	return &domain.OutsideError{Fault: fault, Message: message + string(reason) + ".", Temporary: temporary, Cause: err}
}

// statusError is what an answer means that is no success.
func (l *httpLink) statusError(response *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // what it says besides is extra
	status := response.StatusCode
	message := "The server answered with status " + strconv.Itoa(status) + "."
	if status == http.StatusUnauthorized || (status == http.StatusForbidden && wantsMoreScope(response)) {
		return signIn(challengeOf(response))
	}
	if (status == http.StatusNotFound || status == http.StatusBadRequest) && l.SessionID() != "" {
		l.state.Lock()
		l.gone = true // 400 is how some servers forget one
		l.state.Unlock()
		if status == http.StatusNotFound {
			return &domain.OutsideError{Fault: domain.FaultRefused, Message: message, Temporary: true, Cause: errSessionGone}
		}
	}
	if m, err := jsonrpc.DecodeMessage(data); err == nil && status < 500 {
		if said, ok := m.(*jsonrpc.Response); ok && said.Error != nil {
			return said.Error // an answer after all
		}
	}
	after := retryAfter(response.Header.Get("Retry-After"))
	switch {
	case status == http.StatusTooManyRequests:
		return &domain.OutsideError{Fault: domain.FaultRefused, Message: message, Temporary: true, RetryAfter: after}
	case status < 500, status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return refused(message, nil)
	}
	return &domain.OutsideError{Fault: domain.FaultDoubt, Message: message, Temporary: true, RetryAfter: after}
}

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
