package mcp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
)

// transport is what the two links have in common.
type transport interface {
	mcp.Transport
	mcp.Connection
	lost() bool                 // nothing more will be heard of it
	cause() error               // why not
	listen(ctx context.Context) // hear of changes, where that is a stream of its own
}

// session is one connection that was greeted. It ends for good when it is lost; the next
// call makes another.
type session struct {
	sdk  *mcp.ClientSession
	link transport
	// legacy: a revision before 2026-07-28.
	legacy bool
	hears  bool // the server tells of changes of its list
	// changed is told when a list is found to be another; nil: nobody.
	changed func()

	list *listed
}

// capabilities are what we can do, and no more: the SDK's own default says roots too.
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

// connect greets the server, by server/discover and, where it does not know that, by
// initialize. A program that ends over the one is started again and greeted with the other, as
// the protocol advises.
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
	if asBefore { // it may take its time to say again that it knows nothing newer
		how = &mcp.ClientSessionOptions{ProtocolVersion: revisionBefore}
	}
	if s.sdk, err = newClient(options, changed).Connect(ctx, s.link, how); err != nil {
		if why, ok := errors.AsType[*domain.OutsideError](s.link.cause()); ok && s.link.lost() {
			err = why // the SDK says only that it is closed
		}
		_ = s.link.Close()
		return nil, greetError(ctx, err)
	}
	hello := s.sdk.InitializeResult()
	s.legacy = hello.ProtocolVersion < revision2026
	if c := hello.Capabilities; c != nil && c.Tools != nil {
		s.hears = c.Tools.ListChanged
	}
	if s.legacy {
		s.link.listen(ctx)
	}
	return s, nil
}

func newClient(options Options, changed func()) *mcp.Client {
	client := mcp.NewClient(&mcp.Implementation{Name: "fermata", Version: options.Version}, &mcp.ClientOptions{
		Capabilities:           capabilities(options),
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true}, // a person answers, later
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
			panic("mcp: " + err.Error()) // the SDK has taken one of the names: a test connects
		}
	}
	return client
}

// call sends a tools/call of the SDK's making; the exchange keeps what came of it.
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

// closeTime is how long a session may take to say goodbye.
const closeTime = 5 * time.Second

// close ends the session. The link goes first: it ends whatever the SDK would wait for.
func (s *session) close() {
	_ = s.link.Close()
	done := make(chan struct{})
	go func() {
		_ = s.sdk.Close() // the link is closed: there is nothing to report
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeTime):
	}
}

// greetError: whatever went wrong while greeting, the call itself was not sent.
func greetError(ctx context.Context, err error) error {
	e := outsideError(ctx, err, true)
	e.Fault = faultBeforeCall(e.Fault)
	if e.Message == "" {
		e.Message = "The server cannot be spoken with: it does not speak this protocol."
	}
	return e
}
