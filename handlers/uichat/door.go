package uichat

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// protocol identifies the messages of this protocol.
const protocol = "ui-chat"

// Config are the dependencies of both routes.
type Config struct{ rounds.Config }

// Chat serves POST /v1/ui/chat: a message, answers to approvals, or another try at the newest
// message.
type Chat struct{ Config }

// Resumption serves GET /v1/ui/chat/{id}/stream: the round in progress, from its beginning.
type Resumption struct{ Config }

// round is a round that is streamed to a front end.
type round struct {
	*rounds.Round
	held *uiMessage // the answer as far as the front end has it
}

// Serve stores the message, or finds it where it was stored before, submits the answers that come
// with it, and streams what the front end does not have yet.
func (d *Chat) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	in, err := readInput(body)
	if err != nil {
		return err
	}
	x := &round{Round: d.Round(who)}
	defer x.Close()
	again := in.Trigger == regenerate
	if x.held = in.held; again {
		x.held = nil // it is replaced by another answer
	}
	given := answersOf(x.held)
	if err := x.Find(r.Context(), protocol, rounds.ClientMessage{
		Chat: in.ID, ID: in.user.ID, Pieces: in.pieces, MustExist: again || len(given) > 0,
	}); err != nil {
		return err
	}
	in.pieces = nil // released, because the answer may take long
	_ = r.Body.Close()
	if again {
		err = x.regenerate(r.Context())
	} else {
		err = x.answer(r.Context(), given)
	}
	if err != nil {
		return err
	}
	return x.stream(w, r)
}

// regenerate requests another answer to the newest message; the earlier answer stays in the record.
// If one is in progress, it is streamed: it may be of a repetition of this request.
func (x *round) regenerate(ctx context.Context) error {
	session, err := x.Record.Session(ctx, x.Caller.Workspace, x.Found.Session)
	if err != nil {
		return err
	}
	newest, err := x.latestMessage(ctx, session)
	if err != nil {
		return err
	}
	if newest != x.Found.Message {
		return domain.Errorf(domain.CodeNotLastRound, "Only the newest message can be answered again. "+
			"Nothing was changed.")
	}
	_, err = x.Commands.RetrySession(ctx, x.Caller.Workspace, session.ID, domain.RetryRequest{By: x.Caller.Author()})
	if domain.ErrorCode(err) != domain.CodeWrongPhase {
		return err
	}
	at, failed := x.Progress(ctx)
	if failed != nil || at.State != rounds.Working {
		return cmp.Or(failed, err)
	}
	return nil
}

// Refuse writes an error that occurred before a stream, as the API does.
func (d *Chat) Refuse(w http.ResponseWriter, f *api.Failure) { rounds.WriteProblem(w, f) }

// resumableFor is how long after its end a round is streamed again: a front end whose stream broke
// does not know that the round is over.
const resumableFor = 2 * time.Minute

// Serve streams the newest round, or answers 204 if there is none to resume.
func (d *Resumption) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	x := &round{Round: d.Round(who)}
	defer x.Close()
	id := chi.URLParam(r, "id")
	if err := checkID(id); err != nil {
		return err
	}
	session, err := x.Session(r.Context(), id)
	if err != nil {
		return err
	}
	if session == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	x.Found.Session = session.ID
	if x.Found.Message, err = x.latestMessage(r.Context(), session); err != nil {
		return err
	}
	if x.Found.Message == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	at, err := x.Progress(r.Context())
	if err != nil {
		return err
	}
	if at.Finished() && d.Clock().Sub(at.Session.LastEventTime) > resumableFor {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return x.stream(w, r)
}

// Refuse writes an error that occurred before a stream, as the API does.
func (d *Resumption) Refuse(w http.ResponseWriter, f *api.Failure) { rounds.WriteProblem(w, f) }

// latestMessage returns the id of the message that began the newest round; "" if there is none. The
// answer to a question is a message of the round that asked.
func (x *round) latestMessage(ctx context.Context, session *domain.Session) (string, error) {
	latest, _, err := x.Record.MessagePage(ctx, session, "", maxRound, true)
	if err != nil {
		return "", err
	}
	found, of := "", ""
	for _, m := range latest {
		if m.Sender != domain.SenderUser {
			continue
		}
		if found != "" && (of == "" || m.RoundID != of) {
			break
		}
		found, of = m.ID, m.RoundID
	}
	return found, nil
}

// maxRound limits the messages that are searched for the newest round.
const maxRound = 200
