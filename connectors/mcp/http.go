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

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// notifyTime bounds requests whose response is not needed.
const notifyTime = 3 * time.Second

// httpLink implements streamable HTTP: each request is a POST of its own and fails on its own. The
// SDK's transport closes the whole connection after one undecodable response; here concurrent calls
// are not affected.
type httpLink struct {
	*link
	config  Config
	options Options

	state   sync.Mutex
	session string
	version string
	gone    bool // the server no longer knows the session
}

// Connect is called by the SDK; it does not dial.
func (l *httpLink) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID is the server's ID of the session, in revisions before 2026-07-28.
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

// Write sends one message. The failure of a request is reported in its response and never as an
// error of Write, which the SDK would take for the end of the connection.
func (l *httpLink) Write(ctx context.Context, m jsonrpc.Message) error {
	request, ok := m.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return l.post(ctx, m)
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
		_ = exactjson.Lenient(response.Result, &result) // the SDK rejects missing fields
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
		return nil, notSent("The request could not be encoded.", err)
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

// do sends one HTTP request, and once more with a new token if the server rejected the old one, in
// which case the request had no effect.
func (l *httpLink) do(ctx context.Context, e *exchange, method string, body []byte, headers http.Header) (*http.Response, error) {
	response, token, err := l.send(ctx, e, method, body, headers)
	if outside.FaultOf(err) != outside.FaultSignIn || token == "" {
		return response, err
	}
	wanted, _ := errors.AsType[*challenge](err)
	if wanted == nil {
		wanted = &challenge{}
	}
	l.options.Tokens.Rejected(ctx, token, wanted.more)
	if wanted.more != "" {
		return nil, err // a new token would have the same scope
	}
	fresh, tokenErr := l.options.Tokens.Token(ctx)
	if known, ok := errors.AsType[*outside.Error](tokenErr); ok {
		return nil, known // a temporary failure: no new sign-in is needed
	}
	if tokenErr != nil || fresh == token {
		return nil, err
	}
	response, _, err = l.send(ctx, e, method, body, headers)
	return response, err
}

// send sends one HTTP request. e.left is set before the first byte can be sent.
func (l *httpLink) send(
	ctx context.Context, e *exchange, method string, body []byte, headers http.Header,
) (_ *http.Response, token string, err error) {
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { e.left.Store(true) }})
	request, err := http.NewRequestWithContext(traced, method, l.config.URL, bytes.NewReader(body))
	if err != nil {
		return nil, "", notSent("The connector's URL is invalid.", err)
	}
	// Without GetBody, net/http cannot resend the body over another connection: it is sent at most
	// once.
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

// dress sets the headers common to all requests.
func (l *httpLink) dress(ctx context.Context, request *http.Request, headers http.Header) (token string, err error) {
	for name, value := range l.config.Headers {
		request.Header.Set(name, value)
	}
	maps.Copy(request.Header, headers)
	if l.options.Tokens != nil {
		if token, err = l.options.Tokens.Token(ctx); err != nil {
			if known, ok := errors.AsType[*outside.Error](err); ok {
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

// versionFor returns the revision of a request: its own, or that of the handshake.
func (l *httpLink) versionFor(request *jsonrpc.Request) string {
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = exactjson.Lenient(request.Params, &params) // missing fields: the handshake's revision
	if v, ok := params.Meta[mcp.MetaKeyProtocolVersion].(string); ok {
		return v
	}
	return l.revision()
}

// post sends a message that has no response. Only the handshake's notification has to succeed.
func (l *httpLink) post(ctx context.Context, m jsonrpc.Message) error {
	request, _ := m.(*jsonrpc.Request)
	if request != nil && request.Method == methodCancelled && l.revision() == "" {
		return nil // in 2026-07-28 closing the stream cancels
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

// Close cancels requests in progress and deletes the session at the server.
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
	return nil // the server's session will expire
}

func signIn(cause error) *outside.Error {
	return &outside.Error{Fault: outside.FaultSignIn, Message: "The connector needs a new sign-in.", Cause: cause}
}
