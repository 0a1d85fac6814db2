package agui

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
)

// find stores the newest message of the user, or finds it where a run before this one has
// brought it: a message is known by its id and its thread.
func (x *run) find(ctx context.Context) error {
	return standing.GiveWay(ctx, func() error { return x.findOnce(ctx) })
}

func (x *run) findOnce(ctx context.Context) error {
	m := x.in.said[x.in.last]
	hash := standing.Hash("ag-ui", x.in.Talk, m.ID)
	found, err := x.Histories.KnownHistories(ctx, x.who.Workspace, [2]string{hash, hash})
	if err != nil {
		return err
	}
	if len(found) > 0 {
		x.session, x.message, x.again = found[0].SessionID, found[0].MessageID, true
		stored, err := x.Record.Message(ctx, x.who.Workspace, x.session, x.message)
		if err != nil {
			return err
		}
		if stored.Rich.Words() != m.text {
			return domain.Invalid("/messages", "changed", "A message that was sent is not changed. Send another one, under another id.")
		}
		return nil
	}
	if len(x.in.Resume) > 0 {
		return domain.Errorf(domain.CodeNotFound, "There is no such run that could be resumed.")
	}
	return x.send(ctx, &m, hash)
}

// send brings the message to the one door.
func (x *run) send(ctx context.Context, m *said, hash string) error {
	message := domain.NewMessage{
		Rich: domain.RichContent{LinearText: m.text, Segments: []domain.Segment{{Type: "text", Text: m.text}}},
		By:   x.who.Author(), History: &domain.HistoryKey{Hash: hash},
	}
	session, err := x.sessionOf(ctx)
	if err != nil {
		return err
	}
	var receipt *domain.Receipt
	if session == "" {
		receipt, err = x.Commands.CreateSession(ctx, x.who.Workspace, domain.NewSession{
			Type: domain.Chat, ExternalID: x.in.Talk, Message: &message, By: x.who.Name,
		})
		if err == nil && !receipt.Created {
			receipt, err = x.Commands.SendMessage(ctx, x.who.Workspace, receipt.Session.ID, message)
		}
	} else {
		receipt, err = x.Commands.SendMessage(ctx, x.who.Workspace, session, message)
	}
	if err != nil {
		return err
	}
	x.session, x.message = receipt.Session.ID, receipt.Message.ID
	return nil
}

// sessionOf is the session that a thread names: by its id, or by a name of the client's own;
// "" if there is none yet.
func (x *run) sessionOf(ctx context.Context) (string, error) {
	if id, ok := strings.CutPrefix(x.in.Talk, domain.PrefixSession+"_"); ok && len(id) == 32 {
		s, err := x.Record.Session(ctx, x.who.Workspace, x.in.Talk)
		if err != nil {
			return "", err
		}
		return s.ID, nil
	}
	s, err := x.Record.SessionByExternalID(ctx, x.who.Workspace, x.in.Talk)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return s.ID, nil
}
