package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Event is an event of a session's stream. ID is 0 for events that are not stored.
type Event struct {
	ID   int64
	Name string
	Data []byte
}

// Server calls the API of a server with one key. Errors of the server are a ServerError.
type Server interface {
	Call(ctx context.Context, method, path string, in, out any) error
	// Insist makes a call, and repeats it under one idempotency key while the server is unreachable.
	Insist(ctx context.Context, method, path string, in, out any) error
	// Upload stores a text as a file, and returns its id. Like Insist, it repeats the call while the
	// server is unreachable.
	Upload(ctx context.Context, name, text string) (string, error)
	// Follow reads the events of a session after a sequence number, and reconnects by itself.
	Follow(ctx context.Context, session string, after int64, take func(Event) error) error
}

// Agent serves one editor.
type Agent struct {
	Server  Server
	URL     string // of the server: people answer there what the editor has no form for
	Version string
	Folder  string // working directory that is listed for sessions without one of their own
	Log     func(format string, args ...any)

	conn *conn
	work sync.WaitGroup

	opening  sync.Mutex // held while a session is opened
	mu       sync.Mutex // guards the fields below
	editor   initializeParams
	sessions map[string]*session
}

// Serve handles messages until the editor closes the connection.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer a.work.Wait()
	defer cancel(errClosed)
	a.conn, a.sessions = newConn(in, out), map[string]*session{}
	for {
		m, err := a.conn.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		a.dispatch(ctx, m)
	}
}

// Reasons to stop following a session, which the editor shows for its prompts.
var (
	errClosed   = newFailure(codeInternal, "closed", "The session is no longer open. Load it, and check whether the prompt is in it.")
	errReopened = newFailure(codeInternal, "closed", "The editor has opened the session again, and its prompt continues there.")
)

// method starts to handle a message, in the order in which messages arrive. What may take long is
// done in the function that it returns.
type method func(a *Agent, ctx context.Context, params json.RawMessage) (finishFunc, error)

type finishFunc func(ctx context.Context) (any, error)

var methods = map[string]method{
	"initialize": (*Agent).initialize, "session/new": (*Agent).newSession, "session/list": (*Agent).list,
	"session/load": (*Agent).load, "session/resume": (*Agent).resume, "session/close": (*Agent).closeSession,
	"session/prompt": (*Agent).prompt, "session/cancel": (*Agent).cancel, "session/set_config_option": (*Agent).configure,
	"authenticate": (*Agent).authenticate,
}

func (a *Agent) dispatch(ctx context.Context, m *message) {
	begin, known := methods[m.Method]
	if !known {
		if m.ID != nil { // unknown notifications are ignored
			a.conn.replyError(m.ID, newFailure(codeMethod, "not_found", "There is no method %q here.", m.Method))
		}
		return
	}
	then, err := begin(a, ctx, m.Params)
	if err != nil {
		a.respond(m, nil, err)
		return
	}
	a.work.Go(func() {
		result, err := then(ctx)
		a.respond(m, result, err)
	})
}

// respond answers a request; notifications have no response.
func (a *Agent) respond(m *message, result any, err error) {
	switch {
	case m.ID == nil && err != nil:
		a.Log("%s: %v", m.Method, err)
	case m.ID == nil:
	case err != nil:
		a.conn.replyError(m.ID, failureOf(err))
	default:
		a.conn.reply(m.ID, result)
	}
}

// read decodes the parameters of a method.
func read(params json.RawMessage, into any) error {
	if err := jsonbody.Unmarshal(params, into); err != nil {
		return newFailure(codeParams, "invalid", "The parameters cannot be decoded: %v.", err)
	}
	return nil
}

func (a *Agent) initialize(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in initializeParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.editor = in
	a.mu.Unlock()
	return func(context.Context) (any, error) {
		return fields{
			"protocolVersion": version,
			"agentInfo":       fields{"name": "fermata", "title": "Fermata", "version": a.Version},
			"authMethods":     []fields{},
			"agentCapabilities": fields{
				"loadSession":         true,
				"promptCapabilities":  fields{"embeddedContext": true},
				"sessionCapabilities": fields{"list": fields{}, "resume": fields{}, "close": fields{}},
			},
		}, nil
	}, nil
}

// editorCapabilities returns what the editor sent with initialize.
func (a *Agent) editorCapabilities() initializeParams {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.editor
}

func (a *Agent) authenticate(context.Context, json.RawMessage) (finishFunc, error) {
	return nil, newFailure(codeAuthRequired, "unauthenticated",
		"The program needs a key: set FERMATA_KEY or FERMATA_KEY_FILE in the editor's settings of this agent.")
}

func (a *Agent) newSession(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in sessionParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		a.logIgnoredServers(in.MCPServers)
		var made api.Session
		if err := a.Server.Insist(ctx, http.MethodPost, "/v1/sessions", newSessionIn(in.Folder), &made); err != nil {
			return nil, err
		}
		s := a.openSession(ctx, &made)
		options, err := s.options(ctx, &made)
		if err != nil {
			return nil, err
		}
		return fields{"sessionId": made.ID, "configOptions": options}, nil
	}, nil
}

// logIgnoredServers logs that the editor's MCP servers are not used: sessions run at the server.
func (a *Agent) logIgnoredServers(servers []json.RawMessage) {
	if len(servers) > 0 {
		a.Log("the editor's %d MCP servers are not used: connect them to the server (fermata connectors add)", len(servers))
	}
}

func (a *Agent) load(_ context.Context, params json.RawMessage) (finishFunc, error) {
	return a.reopen(params, true)
}

func (a *Agent) resume(_ context.Context, params json.RawMessage) (finishFunc, error) {
	return a.reopen(params, false)
}

// reopen opens an existing session, and sends its record to the editor if replay is set.
func (a *Agent) reopen(params json.RawMessage, replay bool) (finishFunc, error) {
	var in sessionParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		a.logIgnoredServers(in.MCPServers)
		found, err := a.find(ctx, in.SessionID)
		if err != nil {
			return nil, err
		}
		a.closeLocally(in.SessionID, errReopened)
		s := a.newSessionOf(found)
		if err := s.catchUp(ctx, replay); err != nil {
			return nil, err
		}
		options, err := s.options(ctx, found)
		if err != nil {
			return nil, err
		}
		a.startFollowing(ctx, s, found)
		return fields{"configOptions": options}, nil
	}, nil
}

// find reads a session that accepts prompts.
func (a *Agent) find(ctx context.Context, id string) (*api.Session, error) {
	if id == "" {
		return nil, newFailure(codeParams, "invalid", "sessionId is missing.")
	}
	var s api.Session
	if err := a.Server.Call(ctx, http.MethodGet, sessionPath(id), nil, &s); err != nil {
		return nil, err
	}
	if s.Type != api.TypeChat {
		return nil, newFailure(codeParams, "wrong_type", "%s is of type %s; only a CHAT accepts prompts.", id, s.Type)
	}
	return &s, nil
}

func sessionPath(id string) string { return "/v1/sessions/" + url.PathEscape(id) }

// openSession opens a new session: its events are sent to the editor from now on.
func (a *Agent) openSession(ctx context.Context, found *api.Session) *session {
	s := a.newSessionOf(found)
	a.startFollowing(ctx, s, found)
	return s
}

func (a *Agent) newSessionOf(found *api.Session) *session {
	s := &session{
		Agent: a, id: found.ID, unnamed: found.Name == "", stopped: make(chan struct{}), openRequests: map[string]context.CancelFunc{},
	}
	s.updates = newUpdater(func(kind string, f fields) {
		f["sessionUpdate"] = kind
		a.conn.notify(methodUpdate, fields{"sessionId": s.id, "update": f})
	})
	return s
}

// startFollowing follows a session from its current state.
func (a *Agent) startFollowing(ctx context.Context, s *session, found *api.Session) {
	ctx, s.stop = context.WithCancelCause(ctx)
	a.mu.Lock()
	a.sessions[s.id] = s
	a.mu.Unlock()
	a.work.Go(func() { s.follow(ctx, found) })
}

// sessionByID returns an open session, or opens an existing one.
func (a *Agent) sessionByID(ctx context.Context, id string) (*session, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	if s := a.openSessionByID(id); s != nil {
		return s, nil
	}
	found, err := a.find(ctx, id)
	if err != nil {
		return nil, err
	}
	s := a.newSessionOf(found)
	if err := s.catchUp(ctx, false); err != nil {
		return nil, err
	}
	a.startFollowing(ctx, s, found)
	return s, nil
}

func (a *Agent) openSessionByID(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// closeLocally stops following a session. At the server it is unchanged.
func (a *Agent) closeLocally(id string, cause error) {
	a.mu.Lock()
	s := a.sessions[id]
	delete(a.sessions, id)
	a.mu.Unlock()
	if s != nil {
		s.stop(cause)
		<-s.stopped
	}
}

func (a *Agent) closeSession(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in sessionParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	s := a.openSessionByID(in.SessionID)
	if s == nil {
		return nil, newFailure(codeNotFound, "not_found", "The session %q is not open.", in.SessionID)
	}
	return func(ctx context.Context) (any, error) {
		s.interrupt(ctx)
		a.closeLocally(in.SessionID, errClosed)
		return fields{}, nil
	}, nil
}

func (a *Agent) cancel(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in cancelParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	s := a.openSessionByID(in.SessionID)
	if s == nil {
		return nil, fmt.Errorf("the session %q is not open", in.SessionID)
	}
	return func(ctx context.Context) (any, error) {
		s.interrupt(ctx)
		return nil, nil //nolint:nilnil // a notification has no answer
	}, nil
}
