package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// Response serves GET /v1/responses/{response_id}: the response, or its events.
type Response struct {
	errorWriter
	Config
}

// Serve writes a response, or its events after the one that the client has.
func (d *Response) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	streamed, after, err := streamWanted(r)
	if err != nil {
		return err
	}
	a := &requestState{Config: &d.Config, identity: who}
	defer a.close()
	at, of, err := a.findResponse(r.Context(), r.PathValue(pathResponse))
	if err != nil {
		return err
	}
	w.Header().Set(sessionHeader, at.session)
	t := newResponseWriter(at, of)
	if !streamed {
		return a.writeCurrent(w, r, at, t)
	}
	if err := a.reader.Seek(r.Context(), at.after); err != nil {
		return lostLog(err)
	}
	a.streamResponse(r, at, t, &responseEvents{Wire: rounds.Wire{W: w}, after: after})
	return nil
}

// pathResponse is the path parameter of a response's id.
const pathResponse = "response_id"

// streamWanted decodes the query of a request for a response.
func streamWanted(r *http.Request) (streamed bool, after int64, err error) {
	streamed, after = streamInBody(r), allEvents
	for name, values := range r.URL.Query() {
		if len(values) > 1 && !strings.HasPrefix(name, "include") {
			return false, 0, domain.Invalid("/"+name, "repeated_parameter", "The parameter is given more than once.")
		}
		switch value := values[0]; name {
		case "stream":
			if streamed, err = strconv.ParseBool(value); err != nil {
				return false, 0, domain.Invalid("/stream", "wrong_type", "stream takes true or false.")
			}
		case "starting_after":
			number, wrong := strconv.ParseUint(value, 10, 63) // a sign is invalid
			if after = int64(number); wrong != nil {
				return false, 0, domain.Invalid("/starting_after", "wrong_type", "starting_after takes the sequence_number of an event.")
			}
		case "include", "include[]", "include_obfuscation":
		default:
			return false, 0, domain.Invalid("/"+name, "unknown", "There is no such parameter.")
		}
	}
	if after != allEvents && !streamed {
		return false, 0, domain.Invalid("/starting_after", "not_allowed", "starting_after is for streams: send stream=true with it.")
	}
	return streamed && r.Method != http.MethodHead, after, nil
}

// streamInBody reports whether the body of a GET asks for a stream, as that of openai-go does.
func streamInBody(r *http.Request) bool {
	var body struct {
		Stream bool `json:"stream"`
	}
	const most = 1 << 10
	return r.ContentLength != 0 && json.NewDecoder(io.LimitReader(r.Body, most)).Decode(&body) == nil && body.Stream
}

// findResponse finds a response by its id, and subscribes to its session.
func (a *requestState) findResponse(ctx context.Context, id string) (*location, responseMetadata, error) {
	session, message, err := a.findMessageOfResponse(ctx, id)
	if err != nil {
		return nil, responseMetadata{}, err
	}
	a.listen(session.ID)
	at := placed(session, message)
	at.repeated = false
	of, err := a.readMetadata(ctx, at)
	if err == nil && of.NotStored {
		err = errNoResponse
	}
	return at, of, err
}

// readMetadata returns the metadata of the request that brought a message. Messages of other
// protocols have default metadata.
func (a *requestState) readMetadata(ctx context.Context, at *location) (responseMetadata, error) {
	of := responseMetadata{}
	request, err := a.requestOf(ctx, a.identity.Workspace, at)
	if err == nil && request != "" {
		err = json.Unmarshal([]byte(request), &of)
	}
	if of.Model == "" {
		of.Model = modelSession
	}
	return of, err
}

// lostLog returns the error for a response whose events cannot be read.
func lostLog(err error) error {
	if errors.Is(err, stream.ErrReset) {
		return domain.Errorf(domain.CodeSessionEnded, "The session of this response has ended, and its events have been deleted. "+
			"Its messages are still available: GET /v1/sessions/{id}/messages.")
	}
	return streamError(err)
}

// ResponseEnd serves POST /v1/responses/{response_id}/cancel.
type ResponseEnd struct {
	errorWriter
	Config
	Endings Endings
}

// Serve interrupts the round of a response, or withdraws its queued message. A response that is over
// is unchanged.
func (d *ResponseEnd) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	a := &requestState{Config: &d.Config, identity: who}
	defer a.close()
	ctx := r.Context()
	at, of, err := a.findResponse(ctx, r.PathValue(pathResponse))
	if err != nil {
		return err
	}
	if _, results := domain.ClientResultsOf(at.message.ID); at.message.Seq == 0 && !results {
		_, err := d.Endings.WithdrawMessage(ctx, who.Workspace, at.session, at.message.ID)
		if err == nil {
			t := newResponseWriter(at, of)
			rd := t.round(at)
			rd.withdrawn = true
			t.end(rd, nil)
			writeJSON(w, t.response())
			return nil
		}
		if domain.ErrorCode(err) != domain.CodeMessagePlaced {
			return err
		}
	}
	rd := newResponseWriter(at, of).round(at)
	if err := a.readToEnd(ctx, at, rd); err != nil {
		return err
	}
	if !rd.settled() || rd.failure != "" && !rd.superseded {
		_, err := d.Endings.InterruptSession(ctx, who.Workspace, at.session, who.Author())
		if err != nil && !alreadyEnded(err) {
			return err
		}
	}
	return a.writeCurrent(w, r, at, newResponseWriter(at, of))
}

// alreadyEnded reports whether there was nothing to interrupt.
func alreadyEnded(err error) bool {
	code := domain.ErrorCode(err)
	return code == domain.CodeWrongPhase || code == domain.CodeSessionEnded
}

// ResponseDelete serves DELETE /v1/responses/{response_id}.
type ResponseDelete struct {
	errorWriter
	Config
	Endings Endings
}

// Serve deletes the session of a response, if it has no other messages.
func (d *ResponseDelete) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	a := &requestState{Config: &d.Config, identity: who}
	ctx, id := r.Context(), r.PathValue(pathResponse)
	session, message, err := a.findMessageOfResponse(ctx, id)
	if err != nil {
		return err
	}
	all, err := a.Record.Messages(ctx, who.Workspace, session.ID, 0, maxRound)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Sender == domain.SenderUser && m.ID != message.ID && m.RoundID != message.RoundID || m.Seq == 0 {
			return domain.Errorf(domain.CodeNotEmpty, "The session of this response has other messages, and single messages cannot be deleted. "+
				"DELETE /v1/sessions/%s deletes the whole session.", session.ID)
		}
	}
	if err := d.Endings.DeleteSession(ctx, who.Workspace, session.ID); err != nil {
		return err
	}
	writeJSON(w, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "response", true})
	return nil
}

// ResponseInput serves GET /v1/responses/{response_id}/input_items.
type ResponseInput struct {
	errorWriter
	Config
}

type inputMessageItem struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Status  string   `json:"status"`
	Role    string   `json:"role"`
	Content []fields `json:"content"`
}

type fields map[string]string

// inputOf returns the content of a user message: the text, and the files by their ids.
func inputOf(rich *domain.RichContent) []fields {
	var parts []fields
	if text := rounds.UserText(rich); text != "" || len(rich.Files()) == 0 {
		parts = append(parts, fields{"type": "input_text", "text": text})
	}
	for _, f := range rich.Files() {
		kind := "input_file"
		if f.IsPicture() {
			kind = "input_image"
		}
		parts = append(parts, fields{"type": kind, "file_id": f.ID, "filename": f.Name})
	}
	return parts
}

// Serve writes the message that began the round of a response.
func (d *ResponseInput) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	a := &requestState{Config: &d.Config, identity: who}
	_, message, err := a.findMessageOfResponse(r.Context(), r.PathValue(pathResponse))
	if err != nil {
		return err
	}
	items, ids := []any{}, [2]string{message.ID, message.ID}
	if message.Sender == domain.SenderUser {
		items = append(items, inputMessageItem{message.ID, "message", responseCompleted, roleUser, inputOf(message.Rich)})
	} else {
		for _, item := range resultsOf(message) {
			items = append(items, item)
		}
		if n := len(items); n > 0 {
			ids = [2]string{items[0].(*inputResult).ID, items[n-1].(*inputResult).ID}
		}
	}
	writeJSON(w, struct {
		Object  string `json:"object"`
		Data    []any  `json:"data"`
		FirstID string `json:"first_id"`
		LastID  string `json:"last_id"`
		HasMore bool   `json:"has_more"`
	}{"list", items, ids[0], ids[1], false})
	return nil
}
