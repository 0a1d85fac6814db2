package responses

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// Stored serves GET /v1/responses/{response_id}: the response, or its events.
type Stored struct {
	openai.ErrorWriter
	Config
}

// Serve writes a response, or its events after the one that the client has.
func (d *Stored) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	streamed, after, err := streamWanted(r)
	if err != nil {
		return err
	}
	x := d.round(who)
	defer x.Close()
	of, err := d.findStored(r.Context(), x, r.PathValue(pathResponse))
	if err != nil {
		return err
	}
	w.Header().Set(openai.SessionHeader, x.Found.Session)
	t := newWriter(x, of)
	if !streamed {
		return d.writeCurrent(w, r, t)
	}
	if err := x.HasEvents(r.Context()); err != nil {
		return lostLog(err)
	}
	d.stream(w, r, t, after)
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

// findStored finds a response by its id.
func (c *Config) findStored(ctx context.Context, x *rounds.Round, id string) (metadata, error) {
	session, message, err := c.findMessage(ctx, x, id)
	if err != nil {
		return metadata{}, err
	}
	x.SetFound(session, message)
	of, err := c.readMetadata(ctx, x)
	if err == nil && of.NotStored {
		err = errNoResponse
	}
	return of, err
}

// Cancellation serves POST /v1/responses/{response_id}/cancel.
type Cancellation struct {
	openai.ErrorWriter
	Config
}

// Serve interrupts the round of a response, or withdraws its queued message. A response that is over
// is unchanged.
func (d *Cancellation) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	x := d.round(who)
	defer x.Close()
	ctx := r.Context()
	of, err := d.findStored(ctx, x, r.PathValue(pathResponse))
	if err != nil {
		return err
	}
	if _, results := domain.ClientResultsOf(x.Found.Message); x.Found.Placed.Seq == 0 && !results {
		_, err := d.Endings.WithdrawMessage(ctx, who.Workspace, x.Found.Session, x.Found.Message)
		if err == nil {
			t := newWriter(x, of)
			x.Outcome.Withdrawn = true
			t.end(nil)
			openai.WriteJSON(w, t.response())
			return nil
		}
		if domain.ErrorCode(err) != domain.CodeMessagePlaced {
			return err
		}
	}
	if _, err := x.CurrentEvents(ctx, newWriter(x, of)); err != nil {
		return lostLog(err)
	}
	if x.Outcome.Running() {
		_, err := d.Endings.InterruptSession(ctx, who.Workspace, x.Found.Session, who.Author())
		if err != nil && !alreadyEnded(err) {
			return err
		}
	}
	return d.writeCurrent(w, r, newWriter(x, of))
}

// alreadyEnded reports whether there was nothing to interrupt.
func alreadyEnded(err error) bool {
	code := domain.ErrorCode(err)
	return code == domain.CodeWrongPhase || code == domain.CodeSessionEnded
}

// Deletion serves DELETE /v1/responses/{response_id}.
type Deletion struct {
	openai.ErrorWriter
	Config
}

// maxMessages limits the messages that are read of a session, which may be deleted if it has fewer.
const maxMessages = 200

// Serve deletes the session of a response, if it has no other messages.
func (d *Deletion) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	ctx, id := r.Context(), r.PathValue(pathResponse)
	session, message, err := d.findMessage(ctx, d.Round(who), id)
	if err != nil {
		return err
	}
	all, err := d.Record.Messages(ctx, who.Workspace, session.ID, 0, maxMessages)
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
	openai.WriteJSON(w, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "response", true})
	return nil
}
