package chat

import (
	"fmt"
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// Completions serves POST /v1/chat/completions.
type Completions struct {
	openai.ErrorWriter
	openai.Config

	Plain plain
}

// Serve answers a chat completion request.
func (c *Completions) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	ask, err := readRequest(body)
	if err != nil {
		return err
	}
	if ask.Model == openai.ModelRaw {
		return c.serveRaw(w, r, who, ask)
	}
	x := c.Round(who)
	defer x.Close()
	if err := c.find(r, x, ask, body); err != nil {
		return err
	}
	_ = r.Body.Close() // releases its memory, because the answer may take long
	w.Header().Set(openai.SessionHeader, x.Found.Session)
	if ask.Stream {
		c.stream(w, r, x, ask)
		return nil
	}
	return c.answer(w, r, x, ask)
}

// UserOf returns the user whom a body names.
func (*Completions) UserOf(body []byte) (user, pointer string, err error) { return openai.UserOf(body) }

// find stores the message or the tool results that a request ends with, or finds them where they were
// stored before. The request is validated before anything is stored.
func (c *Completions) find(r *http.Request, x *rounds.Round, ask *request, body []byte) error {
	ctx := r.Context()
	x.Payer = ask.user().Payer()
	scope, err := c.ScopeOf(r, x.Caller.Workspace)
	if err != nil {
		return err
	}
	if err := c.SetProvider(ctx, x, ask.Model); err != nil {
		return err
	}
	if x.Tools, err = ask.tools(); err != nil {
		return err
	}
	all, err := ask.inputMessages()
	if err == nil {
		err = openai.CheckSize(body, all)
	}
	if err != nil {
		return err
	}
	ask.Messages = nil // released, because the answer may take long
	if results := openai.TrailingResults(all); results != nil {
		approval, err := results.Approval(ctx, x.Approvals, x.Caller.Workspace)
		if err != nil {
			return err
		}
		return x.SubmitAsMessage(ctx, results, approval)
	}
	if err := openai.CheckTools(ctx, x, func(i int) string { return fmt.Sprintf("/tools/%d", i) }, all); err != nil {
		return err
	}
	history, err := openai.HistoryOf(all, scope)
	if err == nil {
		err = openai.CheckScope(scope)
	}
	if err != nil {
		return err
	}
	return x.FindHistory(ctx, history)
}
