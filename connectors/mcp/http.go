package mcp

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// notifyTime bounds what is told without an answer being awaited.
const notifyTime = 3 * time.Second

// httpLink speaks streamable HTTP: each request is a POST of its own, and what comes of it
// is that request's alone. The SDK's own transport gives up the whole connection for one
// answer that cannot be read; here nine calls survive the tenth.
type httpLink struct {
	*link
	config  Config
	options Options

	state   sync.Mutex
	session string
	version string
	gone    bool // the server has forgotten the session
}

// Connect is what the SDK calls; nothing is dialled before the first message.
func (l *httpLink) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID is the server's name for this connection, in revisions before 2026-07-28.
func (l *httpLink) SessionID() string {
	l.state.Lock()
	defer l.state.Unlock()
	return l.session
}

func (l *httpLink) revision() string {
	l.state.Lock()
	defer l.state.Unlock()
	return l.version
}

func (l *httpLink) lost() bool {
	l.state.Lock()
	defer l.state.Unlock()
	return l.gone || l.ctx.Err() != nil
}

// Write sends one message. A request is answered whatever becomes of it, never by an error
// of Write: the SDK would take that for the end of the connection.
func (l *httpLink) Write(ctx context.Context, m jsonrpc.Message) error {
	request, ok := m.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return l.tell(ctx, m)
	}
	if !l.begin(func() { l.deliver(l.exchange(ctx, request)) }) {
		return l.cause()
	}
	return nil
}

func (l *httpLink) exchange(ctx context.Context, request *jsonrpc.Request) *jsonrpc.Response {
	ctx, done := l.within(ctx)
	defer done()
	ctx, stop := probing(ctx, request.Method)
	defer stop()
	e := exchangeOf(ctx)
	defer l.asks(ctx, e)()
	response, err := l.ask(ctx, e, request)
	if err != nil {
		return failure(request.ID, err)
	}
	if request.Method == methodInitialize && response.Error == nil {
		var result struct {
			Version string `json:"protocolVersion"`
		}
		_ = exactjson.Lenient(response.Result, &result) // the SDK refuses what is not there
		l.state.Lock()
		l.version = result.Version
		l.state.Unlock()
	}
	return e.keep(request.Method, response)
}

// ask posts a request and reads its answer, resuming a stream that the server ended early.
func (l *httpLink) ask(ctx context.Context, e *exchange, request *jsonrpc.Request) (*jsonrpc.Response, error) {
	body, err := e.encode(request)
	if err != nil {
		return nil, notSent("The request could not be written.", err)
	}
	headers := routing(request, e.tool, l.versionFor(request))
	maps.Copy(headers, e.headers)
	response, err := l.do(ctx, e, http.MethodPost, body, headers) //nolint:bodyclose // readAnswer does
	if err != nil {
		return nil, err
	}
	if session := response.Header.Get("Mcp-Session-Id"); session != "" && request.Method == methodInitialize && len(session) <= 1<<10 {
		l.state.Lock()
		l.session = session
		l.state.Unlock()
	}
	return l.readAnswer(ctx, e, request, response)
}

// do sends one HTTP request, and once more with a new token where the server did not take
// the old one: it did nothing then.
func (l *httpLink) do(ctx context.Context, e *exchange, method string, body []byte, headers http.Header) (*http.Response, error) {
	response, token, err := l.send(ctx, e, method, body, headers)
	if domain.FaultOf(err) != domain.FaultSignIn || token == "" {
		return response, err
	}
	wanted, _ := errors.AsType[*challenge](err)
	if wanted == nil {
		wanted = &challenge{}
	}
	l.options.Tokens.Rejected(ctx, token, wanted.more)
	if wanted.more != "" {
		return nil, err // renewing it would bring the same
	}
	fresh, tokenErr := l.options.Tokens.Token(ctx)
	if known, ok := errors.AsType[*domain.OutsideError](tokenErr); ok {
		return nil, known // it could not be renewed now: that is nothing for a person
	}
	if tokenErr != nil || fresh == token {
		return nil, err
	}
	response, _, err = l.send(ctx, e, method, body, headers)
	return response, err
}

// send sends one HTTP request. e.left is set before a byte can leave.
func (l *httpLink) send(
	ctx context.Context, e *exchange, method string, body []byte, headers http.Header,
) (_ *http.Response, token string, err error) {
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { e.left.Store(true) }})
	request, err := http.NewRequestWithContext(traced, method, l.config.URL, bytes.NewReader(body))
	if err != nil {
		return nil, "", notSent("The connector's address cannot be used.", err)
	}
	// Without it net/http cannot send the body again by itself, over another connection:
	// it is sent once.
	request.GetBody = nil
	if token, err = l.dress(ctx, request, headers); err != nil {
		return nil, "", err
	}
	response, err := l.options.Client.Do(request)
	if err != nil {
		return nil, "", unreachable(ctx, err, e.left.Load())
	}
	if response.StatusCode/100 == 2 {
		return response, token, nil
	}
	defer egress.Discard(response.Body)
	return nil, token, l.statusError(response)
}

// dress puts on what every request carries.
func (l *httpLink) dress(ctx context.Context, request *http.Request, headers http.Header) (token string, err error) {
	for name, value := range l.config.Headers {
		request.Header.Set(name, value)
	}
	maps.Copy(request.Header, headers)
	if l.options.Tokens != nil {
		if token, err = l.options.Tokens.Token(ctx); err != nil {
			if known, ok := errors.AsType[*domain.OutsideError](err); ok {
				return "", known
			}
			return "", signIn(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("User-Agent", "fermata/"+l.options.Version)
	l.state.Lock()
	defer l.state.Unlock()
	if l.session != "" {
		request.Header.Set("Mcp-Session-Id", l.session)
	}
	if request.Header.Get("Mcp-Protocol-Version") == "" && l.version != "" {
		request.Header.Set("Mcp-Protocol-Version", l.version)
	}
	return token, nil
}

// versionFor is the revision that a request is of: it says so itself, or the handshake did.
func (l *httpLink) versionFor(request *jsonrpc.Request) string {
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = exactjson.Lenient(request.Params, &params) // without one it is the handshake's
	if v, ok := params.Meta[mcp.MetaKeyProtocolVersion].(string); ok {
		return v
	}
	return l.revision()
}

// tell posts what has no answer. Only the handshake's own word matters.
func (l *httpLink) tell(ctx context.Context, m jsonrpc.Message) error {
	request, _ := m.(*jsonrpc.Request)
	if request != nil && request.Method == methodCancelled && l.revision() == "" {
		return nil // in 2026-07-28 the end of the stream says it
	}
	ctx, done := l.within(ctx)
	defer done()
	ctx, stop := context.WithTimeout(ctx, notifyTime)
	defer stop()
	body, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	headers := http.Header{}
	if request != nil {
		headers = routing(request, nil, l.versionFor(request))
	}
	setAccepted(headers)
	response, err := l.do(ctx, &exchange{}, http.MethodPost, body, headers) //nolint:bodyclose // Discard does
	if err == nil {
		egress.Discard(response.Body)
	}
	if err != nil && request != nil && request.Method == "notifications/initialized" {
		return err
	}
	return nil
}

// Close ends what is under way, and tells the server that the session is over.
func (l *httpLink) Close() error {
	l.stop()
	l.state.Lock()
	session := l.session
	l.session = ""
	over := session == "" || l.gone
	l.state.Unlock()
	if over {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	response, err := l.do(ctx, &exchange{}, http.MethodDelete, nil, http.Header{"Mcp-Session-Id": {session}}) //nolint:bodyclose // below
	if err == nil {
		egress.Discard(response.Body)
	}
	return nil // the server forgets it in its own time
}

func signIn(cause error) *domain.OutsideError {
	return &domain.OutsideError{Fault: domain.FaultSignIn, Message: "Somebody has to sign in to the connector again.", Cause: cause}
}
