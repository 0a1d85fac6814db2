package mcp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain/outside"
)

// transport is the common interface of the two links.
type transport interface {
	mcp.Transport
	mcp.Connection
	lost() bool                 // no further messages will arrive
	cause() error               // why it was lost
	listen(ctx context.Context) // receive notifications, if they have a stream of their own
}

// session is a connection after its handshake. A lost session is not reused; the next call opens
// another.
type session struct {
	sdk  *mcp.ClientSession
	link transport
	// legacy: a revision before 2026-07-28.
	legacy    bool
	announces bool // the server announces changes of its list
	// changed is called when the list has changed; may be nil.
	changed func()

	list *listed
}

// capabilities are exactly those we support: the SDK's default includes roots.
func capabilities(o Options) *mcp.ClientCapabilities {
	can := &mcp.ClientCapabilities{}
	if o.Questions {
		can.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}
	}
	if o.Tasks {
		can.Extensions = map[string]any{tasksExtension: map[string]any{}}
	}
	return can
}

// connect performs the handshake with server/discover or, if the server does not know that, with
// initialize. A program that exits is started again with the other handshake, as the protocol
// advises.
func connect(ctx context.Context, config Config, options Options, asBefore bool, changed func()) (*session, error) {
	if err := config.check(options); err != nil {
		return nil, err
	}
	s, err := greet(ctx, config, options, asBefore, changed)
	if config.Command == "" || err == nil || ctx.Err() != nil || errors.Is(err, errNotStarted) {
		return s, err
	}
	return greet(ctx, config, options, !asBefore, changed)
}

func greet(ctx context.Context, config Config, options Options, asBefore bool, changed func()) (*session, error) {
	s := &session{changed: options.Changed, list: newListed()}
	if config.Command != "" {
		link, err := startProcess(config)
		if err != nil {
			return nil, err
		}
		s.link = link
	} else {
		s.link = &httpLink{link: newLink(), config: config, options: options}
	}
	var err error
	var how *mcp.ClientSessionOptions
	if asBefore { // server/discover would only time out again
		how = &mcp.ClientSessionOptions{ProtocolVersion: revisionBefore}
	}
	if s.sdk, err = newClient(options, changed).Connect(ctx, s.link, how); err != nil {
		if why, ok := errors.AsType[*outside.Error](s.link.cause()); ok && s.link.lost() {
			err = why // the SDK only reports that it is closed
		}
		_ = s.link.Close()
		return nil, greetError(ctx, err)
	}
	hello := s.sdk.InitializeResult()
	s.legacy = hello.ProtocolVersion < revision2026
	if c := hello.Capabilities; c != nil && c.Tools != nil {
		s.announces = c.Tools.ListChanged
	}
	if s.legacy {
		s.link.listen(ctx)
	}
	return s, nil
}

func newClient(options Options, changed func()) *mcp.Client {
	client := mcp.NewClient(&mcp.Implementation{Name: "fermata", Version: options.Version}, &mcp.ClientOptions{
		Capabilities:           capabilities(options),
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true}, // people answer later
		Logger:                 slog.New(slog.DiscardHandler),
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() },
	})
	for _, register := range []func() error{
		func() error { return mcp.AddSendingCustomMethod[*taskParams, *taskReply](client, methodTask) },
		func() error { return mcp.AddSendingCustomMethod[*taskParams, *taskReply](client, methodTaskResult) },
		func() error { return mcp.AddSendingCustomMethod[*taskParams, *taskReply](client, methodTaskUpdate) },
		func() error { return mcp.AddSendingCustomMethod[*taskParams, *taskReply](client, methodTaskCancel) },
	} {
		if err := register(); err != nil {
			panic("mcp: " + err.Error()) // the SDK uses one of the names: caught by any test that connects
		}
	}
	return client
}

// call sends a tools/call through the SDK; the exchange captures the result.
func (s *session) call(ctx context.Context, e *exchange, name string, arguments any) error {
	_, err := s.sdk.CallTool(e.in(ctx), &mcp.CallToolParams{Meta: e.meta, Name: name, Arguments: arguments})
	return err
}

func (s *session) page(ctx context.Context, e *exchange, cursor string) error {
	_, err := s.sdk.ListTools(e.in(ctx), &mcp.ListToolsParams{Cursor: cursor})
	return err
}

func (s *session) custom(ctx context.Context, e *exchange, method string, params *taskParams) error {
	_, err := mcp.CallCustomMethod[*taskParams, *taskReply](e.in(ctx), s.sdk, method, params)
	return err
}

// closeTime bounds the closing of a session.
const closeTime = 5 * time.Second

// close ends the session. The link is closed first, so that the SDK does not wait.
func (s *session) close() {
	_ = s.link.Close()
	done := make(chan struct{})
	go func() {
		_ = s.sdk.Close() // the link is already closed: nothing to report
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeTime):
	}
}

// greetError classifies a failed handshake: the call itself was not sent.
func greetError(ctx context.Context, err error) error {
	e := outsideError(ctx, err, true)
	e.Fault = faultBeforeCall(e.Fault)
	if e.Message == "" {
		e.Message = "The server does not support this protocol."
	}
	return e
}
