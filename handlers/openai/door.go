package openai

import (
	"context"
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// Completions serves POST /v1/chat/completions.
type Completions struct {
	errorWriter
	Config

	Plain Plain
}

// requestState is a request in progress, of either protocol.
type requestState struct {
	*Config
	identity *auth.Identity
	payer    string // the client's name of who is charged
	metadata string // of the request, stored with its message, in JSON
	tools    *domain.ClientTools
	// toolPointer returns where the request has a tool of tools; nil: at the same position.
	toolPointer func(int) string
	history     *history // nil once its message is stored
	uploader    *rounds.Uploader
	scope       scope
	provider    string // named by the model; "": that of the session
	reader      *stream.Reader
}

// completionRequest is a chat completion request in progress.
type completionRequest struct {
	requestState
	request *request
	results *rounds.Results // the tool results that it ends with; nil: it ends with a message
}

// Serve answers a chat completion request.
func (c *Completions) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	request, err := readRequest(body)
	if err != nil {
		return err
	}
	if request.Model == modelRaw {
		return c.serveRaw(w, r, who, request)
	}
	a := &completionRequest{requestState: requestState{Config: &c.Config, identity: who, payer: request.User}, request: request}
	if err := a.prepare(r, body); err != nil {
		return err
	}
	defer a.close()
	var at *location
	if a.results != nil {
		at, err = a.submitResults(r.Context(), a.results)
	} else {
		at, err = a.find(r.Context())
	}
	if err != nil {
		return err
	}
	a.done(r)
	w.Header().Set(sessionHeader, at.session)
	return a.answer(w, r, at)
}

// prepare validates a request before anything is stored.
func (a *completionRequest) prepare(r *http.Request, body []byte) error {
	var err error
	if a.scope, err = scopeOf(r, func() (string, error) { return a.ownHeader(r.Context()) }); err != nil {
		return err
	}
	if a.provider, err = a.providerOf(r.Context(), a.identity.Workspace, a.request.Model); err != nil {
		return err
	}
	if a.tools, err = a.request.tools(); err != nil {
		return err
	}
	all, err := a.request.inputMessages()
	if err == nil {
		err = checkSize(body, all)
	}
	if err != nil {
		return err
	}
	a.request.Messages = nil // released, because the answer may take long
	if a.results = trailingResults(all); a.results != nil {
		return nil
	}
	if err := a.checkTools(r.Context()); err != nil {
		return err
	}
	if err := a.checkLateResults(r.Context(), all); err != nil {
		return err
	}
	a.history, err = readHistory(all, a.scope.seed(a.identity))
	return err
}

// ownHeader returns the header by which the workspace's clients name their sessions.
func (a *requestState) ownHeader(ctx context.Context) (string, error) {
	w, err := a.Record.Workspace(ctx, a.identity.Workspace)
	if err != nil {
		return "", err
	}
	return w.Settings.ChatSessionHeader, nil
}

// listen subscribes to a session before its message is stored, so that the answer is streamed from
// its beginning.
func (a *requestState) listen(session string) {
	a.close()
	a.reader = a.Follow(stream.Filter{Workspace: a.identity.Workspace, Session: session})
}

func (a *requestState) close() {
	if a.reader != nil {
		a.reader.Close()
		a.reader = nil
	}
}

// done releases the contents of the request, because the answer may take long.
func (a *requestState) done(r *http.Request) {
	a.history, a.uploader = nil, nil
	_ = r.Body.Close() // releases its memory
}

// files returns the uploader of the message's attachments.
func (a *requestState) files() *rounds.Uploader {
	if a.uploader == nil {
		a.uploader = &rounds.Uploader{Files: a.Files, Workspace: a.identity.Workspace, By: a.identity.Name}
	}
	return a.uploader
}

// found returns the location of a request, and discards attachments that were stored for a message
// which was stored before.
func (a *requestState) found(ctx context.Context, at *location, err error) (*location, error) {
	if at != nil && !at.stored && a.uploader != nil {
		a.uploader.Discard(context.WithoutCancel(ctx))
	}
	return at, err
}
