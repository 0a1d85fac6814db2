package openai

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/rounds"
)

// Responses serves POST /v1/responses.
type Responses struct {
	errorWriter
	Config
}

// responseState is a request for a response in progress.
type responseState struct {
	requestState
	request *responseRequest
}

// Serve answers a request for a response: at once, as a stream, or when the round is over.
func (d *Responses) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	request, err := readResponseRequest(body)
	if err != nil {
		return err
	}
	a := &responseState{request: request, requestState: requestState{Config: &d.Config, identity: who, payer: request.User}}
	defer a.close()
	at, err := a.place(r, body)
	if err != nil {
		return err
	}
	a.done(r)
	of := request.metadata()
	if at.repeated {
		if of, err = a.readMetadata(r.Context(), at); err != nil {
			return err
		}
	}
	w.Header().Set(sessionHeader, at.session)
	t := newResponseWriter(at.fromItsMessage(), of)
	switch {
	case request.Stream:
		a.streamResponse(r, at, t, &responseEvents{Wire: rounds.Wire{W: w}, after: allEvents})
		return nil
	case request.Background:
		return a.writeCurrent(w, r, at, t)
	}
	return a.answerWhole(w, r, at, t)
}

// place returns the location of a request in the record, and stores its message unless it was stored
// before.
func (a *responseState) place(r *http.Request, body []byte) (*location, error) {
	ctx := r.Context()
	var err error
	if a.provider, err = a.providerOf(ctx, a.identity.Workspace, a.request.Model); err != nil {
		return nil, err
	}
	tools, err := a.request.tools()
	if err != nil {
		return nil, err
	}
	a.tools, a.toolPointer, a.request.unoffered = tools.offered, tools.pointer, tools.unoffered
	a.metadata = string(jsonbody.Encode(a.request.metadata()))
	all, err := a.request.inputMessages()
	if err == nil {
		err = checkSize(body, all)
	}
	if err != nil {
		return nil, err
	}
	a.request.Input, a.request.Tools = nil, nil // released, because the answer may take long
	header := strings.TrimSpace(r.Header.Get(sessionHeader))
	name, err := a.request.sessionName()
	if err != nil {
		return nil, err
	}
	if name != "" && header != "" && name != header {
		return nil, contradicted("/conversation")
	}
	if err := (&referenceResolver{Config: a.Config, workspace: a.identity.Workspace}).resolve(ctx, all); err != nil {
		return nil, err
	}
	messages := withoutCallItems(all)
	if results := trailingResults(messages); results != nil {
		return a.afterCalls(ctx, results, cmp.Or(name, header))
	}
	if err := a.checkTools(ctx); err != nil {
		return nil, err
	}
	if err := a.checkLateResults(ctx, messages); err != nil {
		return nil, err
	}
	if a.request.Previous != "" {
		return a.afterPrevious(ctx, all, header)
	}
	if a.scope = (scope{name: name, ours: true}); name == "" {
		if a.scope, err = scopeOf(r, func() (string, error) { return a.ownHeader(ctx) }); err != nil {
			return nil, err
		}
	}
	if a.history, err = readHistory(all, a.scope.seed(a.identity)); err != nil {
		return nil, err
	}
	return a.find(ctx)
}

// contradicted is the error for a header that names another session than the body.
func contradicted(pointer string) error {
	return domain.Invalid(pointer, "contradiction", "The header %s names another session. Send one of the two.", sessionHeader)
}

// fromItsMessage sets the position to that of the message that began the round: the events of a
// response are numbered from there.
func (at *location) fromItsMessage() *location {
	if at.message.Seq > 0 {
		at.after = at.message.Seq - 1
	}
	return at
}

// answerWhole waits until the round is over or waits for a person, and writes the response.
func (a *responseState) answerWhole(w http.ResponseWriter, r *http.Request, at *location, t *responseWriter) error {
	rd := t.round(at)
	ask, err := a.follow(r, at, rd, noSink{})
	if err != nil {
		if rd.final {
			w.Header().Set(shouldRetry, "false")
		}
		return err
	}
	t.end(rd, ask)
	writeJSON(w, t.response())
	return nil
}

// writeCurrent writes the response in its current state.
func (a *requestState) writeCurrent(w http.ResponseWriter, r *http.Request, at *location, t *responseWriter) error {
	rd := t.round(at)
	if err := a.readToEnd(r.Context(), at, rd); err != nil {
		return err
	}
	if rd.ended && rd.approvalID != "" {
		ask, err := a.openApproval(r.Context(), r, rd)
		if err != nil {
			return err
		}
		if ask != nil {
			t.end(rd, ask)
		}
	} else if rd.ended {
		if err := a.describeRejected(r.Context(), a.identity.Workspace, rd); err != nil {
			return err
		}
		t.end(rd, nil)
	}
	writeJSON(w, t.response())
	return nil
}

// readToEnd handles the events of a round up to now.
func (a *requestState) readToEnd(ctx context.Context, at *location, rd *round) error {
	if err := a.reader.Seek(ctx, at.after); err != nil {
		return lostLog(err)
	}
	if err := a.read(ctx, rd, noSink{}); err != nil {
		return lostLog(err)
	}
	return nil
}

// The id of a response contains the ids of the session and of the message that began its round, or of
// the message with tool results, so that no table is needed to find them.
const (
	prefixResponse = "resp_"
	prefixResults  = "of_" // follows the digits of the session
	idDigits       = 32
)

func responseID(session, message string) string {
	return prefixResponse + strings.TrimPrefix(session, domain.PrefixSession+"_") + strings.TrimPrefix(message, domain.PrefixMessage+"_")
}

// readResponseID decodes the id of a response.
func readResponseID(id string) (session, message string, ok bool) {
	digits, ok := strings.CutPrefix(id, prefixResponse)
	if !ok || len(digits) < idDigits {
		return "", "", false
	}
	session, message = digits[:idDigits], digits[idDigits:]
	digits = session + strings.TrimPrefix(message, prefixResults)
	if len(digits) != 2*idDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", "", false
	}
	return domain.PrefixSession + "_" + session, domain.PrefixMessage + "_" + message, true
}

// findMessageOfResponse reads the session and the message of a response. Missing responses and those
// of another workspace are indistinguishable.
func (a *requestState) findMessageOfResponse(ctx context.Context, id string) (*domain.Session, *domain.Message, error) {
	session, message, ok := readResponseID(id)
	if !ok {
		return nil, nil, errNoResponse
	}
	if approval, ok := domain.ClientResultsOf(message); ok {
		return a.findResults(ctx, a.identity.Workspace, session, approval)
	}
	s, m, err := a.stored(ctx, domain.KnownHistory{SessionID: session, MessageID: message})
	if err == nil && (m == nil || m.Sender != domain.SenderUser || m.Rich == nil) {
		err = errNoResponse
	}
	return s, m, err
}

var errNoResponse = domain.NotFound("response")
