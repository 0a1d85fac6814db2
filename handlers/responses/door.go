package responses

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/rounds"
)

// Door serves POST /v1/responses.
type Door struct {
	openai.ErrorWriter
	Config
}

// Serve answers a request for a response: at once, as a stream, or when the round is over.
func (d *Door) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	ask, err := readRequest(body)
	if err != nil {
		return err
	}
	x := d.round(who)
	defer x.Close()
	if err := d.find(r, x, ask, body); err != nil {
		return err
	}
	_ = r.Body.Close() // releases its memory, because the answer may take long
	of := ask.metadata()
	if x.Found.Repeated {
		if of, err = d.readMetadata(r.Context(), x); err != nil {
			return err
		}
	}
	w.Header().Set(openai.SessionHeader, x.Found.Session)
	t := newWriter(x, of)
	switch {
	case ask.Stream:
		d.stream(w, r, t, allEvents)
		return nil
	case ask.Background:
		return d.writeCurrent(w, r, t)
	}
	return d.writeWhole(w, r, t)
}

// UserOf returns the user whom a body names.
func (*Door) UserOf(body []byte) (user, pointer string, err error) { return openai.UserOf(body) }

// find stores the message or the tool results that a request ends with, or finds them where they were
// stored before. The request is validated before anything is stored.
func (d *Door) find(r *http.Request, x *rounds.Round, ask *request, body []byte) error {
	ctx := r.Context()
	x.Payer = ask.user().Payer()
	if err := d.SetProvider(ctx, x, ask.Model); err != nil {
		return err
	}
	tools, err := ask.tools()
	if err != nil {
		return err
	}
	x.Tools, ask.unoffered = tools.offered.WithAnswer(ask.answer), tools.unoffered
	x.Metadata = string(jsonbody.Encode(ask.metadata()))
	all, err := ask.inputItems()
	if err == nil {
		err = openai.CheckSize(body, messagesOf(all))
	}
	if err != nil {
		return err
	}
	ask.Input, ask.Tools, ask.Text = nil, nil, nil // released, because the answer may take long
	header := strings.TrimSpace(r.Header.Get(openai.SessionHeader))
	name, err := ask.sessionName()
	if err != nil {
		return err
	}
	if name != "" && header != "" && name != header {
		return contradicted("/conversation")
	}
	if err := (&referenceResolver{Config: &d.Config, workspace: x.Caller.Workspace}).resolve(ctx, all); err != nil {
		return err
	}
	messages := messagesOf(withoutCalls(all))
	if results := openai.TrailingResults(messages); results != nil {
		return d.submitResults(ctx, x, results, ask.Previous, cmp.Or(name, header))
	}
	if err := openai.CheckTools(ctx, x, tools.pointer, messages); err != nil {
		return err
	}
	if ask.Previous != "" {
		return d.findAfter(ctx, x, ask.Previous, all, header)
	}
	scope := rounds.Scope{Name: name, Ours: true}
	if name == "" {
		if scope, err = d.ScopeOf(r, x.Caller.Workspace); err != nil {
			return err
		}
	}
	history, err := openai.HistoryOf(messagesOf(all), scope)
	if err == nil {
		err = openai.CheckScope(scope)
	}
	if err != nil {
		return err
	}
	return x.FindHistory(ctx, history)
}

// contradicted is the error for a header that names another session than the body.
func contradicted(pointer string) error {
	return domain.Invalid(pointer, "contradiction", "The header %s names another session. Send one of the two.", openai.SessionHeader)
}

// findAfter stores a message after a previous response. header is the session that the client names in
// addition; "" for none.
func (d *Door) findAfter(ctx context.Context, x *rounds.Round, previous string, all []inputItem, header string) error {
	pieces, err := newMessageOf(all)
	if err != nil {
		return err
	}
	return x.FindAfter(ctx, func(ctx context.Context) (rounds.Continuation, error) {
		session, message, err := d.findMessage(ctx, x, previous)
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			err = errNoPrevious
		case err != nil:
		// A fork has another id than the session that the client knows by its name.
		case header != "" && header != session.ID && header != session.ExternalID && session.Origin == nil:
			err = contradicted("/previous_response_id")
		}
		return rounds.Continuation{Session: session, Message: message, Pieces: pieces, Protocol: "response after"}, err
	})
}

var errNoPrevious = &domain.Error{
	Code: domain.CodeNotFound, Message: "There is no such response.",
	Fields: []domain.FieldError{{Pointer: "/previous_response_id", Code: "unknown", Message: "There is no such response."}},
}

// newMessageOf returns the new message of a request that names a previous response. Instructions are
// ignored: they are at the beginning of the session.
func newMessageOf(all []inputItem) ([]rounds.Piece, error) {
	var pieces []rounds.Piece
	var last *openai.InputMessage
	for i := range all {
		switch m := &all[i]; m.Role {
		case openai.RoleAssistant:
			if m.ref != "" {
				continue // in the record already
			}
			return nil, domain.Invalid(m.At, "not_allowed",
				"previous_response_id refers to the history: send only the new message.")
		case openai.RoleUser:
			if len(pieces) > 0 {
				pieces = append(pieces, rounds.Piece{Text: rounds.Separator})
			}
			pieces, last = append(pieces, m.Pieces...), &m.InputMessage
		}
	}
	if last == nil {
		return nil, domain.Invalid("/input", "not_a_message", "The last message must be one of the user.")
	}
	return pieces, last.CheckText(pieces)
}
