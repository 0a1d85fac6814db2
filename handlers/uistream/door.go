package uistream

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
)

// Config is what both of its routes are made of.
type Config struct{ standing.Door }

// Chat serves POST /v1/ui/chat: a message, answers to what was asked, or another try at the newest.
type Chat struct{ Config }

// Resumption serves GET /v1/ui/chat/{id}/stream: the round that goes on, from its beginning.
type Resumption struct{ Config }

// round is one on its way to a front end.
type round struct {
	*Config

	who     *auth.Identity
	found   standing.Found
	session standing.Listener
	placed  *domain.Message // the round's, as it was read last
	held    *uiMessage      // what the front end has of it
}

func (c *Config) round(who *auth.Identity) *round {
	return &round{Config: c, who: who, session: standing.Listener{Workspace: who.Workspace, Follow: c.Follow}}
}

// Serve stores the message, or finds it where it was sent before, takes the answers that come with
// it, and tells what the front end does not hold yet.
func (d *Chat) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	in, err := readInput(body)
	if err != nil {
		return err
	}
	x := d.round(who)
	defer x.session.Close()
	again := in.Trigger == regenerate
	if x.held = in.held; again {
		x.held = nil // another answer takes its place
	}
	given := answersOf(x.held)
	x.found, err = x.finder().Find(r.Context(), standing.Sent{
		Talk: in.ID, ID: in.user.ID, Pieces: in.pieces, Known: again || len(given) > 0,
	})
	if err != nil {
		return err
	}
	in.pieces = nil // the answer may take as long as a session waits
	_ = r.Body.Close()
	if again {
		err = x.again(r.Context())
	} else {
		err = x.answer(r.Context(), given)
	}
	if err != nil {
		return err
	}
	return x.tell(w, r)
}

// again has the newest message answered once more; the earlier answer stays in the record. One
// that is being answered is told: it may be this very request, made again.
func (x *round) again(ctx context.Context) error {
	session, err := x.Record.Session(ctx, x.who.Workspace, x.found.Session)
	if err != nil {
		return err
	}
	newest, err := x.newest(ctx, session)
	if err != nil {
		return err
	}
	if newest != x.found.Message {
		return domain.Errorf(domain.CodeNotLastRound, "Only the newest message is answered again: others have been built on by now. "+
			"Nothing was changed.")
	}
	_, err = x.Commands.RetrySession(ctx, x.who.Workspace, session.ID, domain.RetryRequest{By: x.who.Author()})
	if domain.ErrorCode(err) != domain.CodeWrongPhase {
		return err
	}
	at, failed := x.standing(ctx)
	if failed != nil || at.State != standing.Working {
		return cmp.Or(failed, err)
	}
	return nil
}

// Refuse answers with an error that came before a stream, as the API does.
func (d *Chat) Refuse(w http.ResponseWriter, f *api.Failure) { standing.Refuse(w, f) }

// settledFor is how long a round that is over is told to whoever asks for it: a front end whose
// stream broke does not know that it is over.
const settledFor = 2 * time.Minute

// Serve tells the newest round, or says that there is nothing to tell.
func (d *Resumption) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	x := d.round(who)
	defer x.session.Close()
	id := chi.URLParam(r, "id")
	if err := checkID(id); err != nil {
		return err
	}
	session, err := x.finder().Session(r.Context(), id)
	if err != nil {
		return err
	}
	if session == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	x.found.Session = session.ID
	if x.found.Message, err = x.newest(r.Context(), session); err != nil {
		return err
	}
	if x.found.Message == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	at, err := x.standing(r.Context())
	if err != nil {
		return err
	}
	if at.Over() && d.Clock().Sub(at.Session.LastEventTime) > settledFor {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return x.tell(w, r)
}

// Refuse answers with an error that came before a stream, as the API does.
func (d *Resumption) Refuse(w http.ResponseWriter, f *api.Failure) { standing.Refuse(w, f) }

// newest is the message that began the newest round of a person; "" without one. What answers a
// question is a message of the round that asked.
func (x *round) newest(ctx context.Context, session *domain.Session) (string, error) {
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

// maxRound bounds the messages among which the newest round is looked for.
const maxRound = 200

func (x *round) finder() *standing.Finder {
	return &standing.Finder{
		Protocol: "ui-chat", Commands: x.Commands, Record: x.Record, Histories: x.Histories, Names: x.Names,
		Keeper:    &standing.Keeper{Files: x.Files, Workspace: x.who.Workspace, By: x.who.Name},
		Workspace: x.who.Workspace, By: x.who.Author(), Maker: x.who.Name, Listen: x.session.To,
	}
}

// standing reads how the round's message stands.
func (x *round) standing(ctx context.Context) (*standing.Standing, error) {
	reader := standing.Reader{Record: x.Record, Waiting: x.Waiting, Workspace: x.who.Workspace, Placed: x.placed}
	at, err := reader.Message(ctx, x.found.Session, x.found.Message)
	if err == nil {
		x.placed = at.Message
	}
	return at, err
}
