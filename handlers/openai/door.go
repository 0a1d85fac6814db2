package openai

import (
	"context"
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
	"github.com/fermata-dev/fermata/stream"
)

// Completions serves POST /v1/chat/completions.
type Completions struct {
	refuser
	Config

	Plain Plain
}

// asking is a request on its way, of either protocol.
type asking struct {
	*Config
	who   *auth.Identity
	payer string // who pays, in the words of the client
	about string // what is kept of the request beside its message, in JSON
	tools *domain.ClientTools
	// toolPointer returns where the request has a tool of tools; nil: at the same position.
	toolPointer func(int) string
	talk        *talk // until its message is stored
	keeper      *standing.Keeper
	scope       scope
	provider    string // the one that the model names; "": the session's own
	reader      *stream.Reader
}

// completing is a request for a completion on its way.
type completing struct {
	asking
	request *request
	results *standing.Results // of the client's tools, with which it ends; nil: with a message
}

// Serve answers a request for a completion.
func (c *Completions) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	request, err := readRequest(body)
	if err != nil {
		return err
	}
	if request.Model == modelRaw {
		return c.serveRaw(w, r, who, request)
	}
	a := &completing{asking: asking{Config: &c.Config, who: who, payer: request.User}, request: request}
	if err := a.prepare(r, body); err != nil {
		return err
	}
	defer a.close()
	var at *place
	if a.results != nil {
		at, err = a.bring(r.Context(), a.results)
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

// prepare checks what a session cannot do, before anything is stored.
func (a *completing) prepare(r *http.Request, body []byte) error {
	var err error
	if a.scope, err = scopeOf(r, func() (string, error) { return a.ownHeader(r.Context()) }); err != nil {
		return err
	}
	if a.provider, err = a.providerOf(r.Context(), a.who.Workspace, a.request.Model); err != nil {
		return err
	}
	if a.tools, err = a.request.tools(); err != nil {
		return err
	}
	all, err := a.request.sayings()
	if err == nil {
		err = checkSize(body, all)
	}
	if err != nil {
		return err
	}
	a.request.Messages = nil // what they hold may be large, and the answer long
	if a.results = resultsIn(all); a.results != nil {
		return nil
	}
	if err := a.checkTools(r.Context()); err != nil {
		return err
	}
	if err := a.checkLate(r.Context(), all); err != nil {
		return err
	}
	a.talk, err = converse(all, a.scope.seed(a.who))
	return err
}

// ownHeader is the header by which the workspace's clients name their sessions.
func (a *asking) ownHeader(ctx context.Context) (string, error) {
	w, err := a.Record.Workspace(ctx, a.who.Workspace)
	if err != nil {
		return "", err
	}
	return w.Settings.ChatSessionHeader, nil
}

// listen subscribes to a session before anything happens in it: so an answer is streamed
// from its first word.
func (a *asking) listen(session string) {
	a.close()
	a.reader = a.Follow(stream.Filter{Workspace: a.who.Workspace, Session: session})
}

func (a *asking) close() {
	if a.reader != nil {
		a.reader.Close()
		a.reader = nil
	}
}

// done lets go of what the request brought: an answer may take as long as a session waits.
func (a *asking) done(r *http.Request) {
	a.talk, a.keeper = nil, nil
	_ = r.Body.Close() // gives back its room
}

// files stores what the message brings.
func (a *asking) files() *standing.Keeper {
	if a.keeper == nil {
		a.keeper = &standing.Keeper{Files: a.Files, Workspace: a.who.Workspace, By: a.who.Name}
	}
	return a.keeper
}

// found says where a request belongs. What it has stored of files for a message that was there
// already goes again.
func (a *asking) found(ctx context.Context, at *place, err error) (*place, error) {
	if at != nil && !at.fresh && a.keeper != nil {
		a.keeper.Drop(context.WithoutCancel(ctx))
	}
	return at, err
}
