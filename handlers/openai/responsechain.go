package openai

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// afterPrevious continues after a response. The first message continues its session; another message
// forks it, as clients expect for an edited message. header is the session that the client names in
// addition; "" for none.
func (a *responseState) afterPrevious(ctx context.Context, all []inputMessage, header string) (*location, error) {
	pieces, err := newMessageOf(all)
	if err != nil {
		return nil, err
	}
	a.history = &history{last: rounds.TextOf(pieces), pieces: pieces}
	var at *location
	err = rounds.RetryOnConflict(ctx, func() (err error) {
		at, err = a.afterPreviousOnce(ctx, header)
		return err
	})
	return a.found(ctx, at, err)
}

func (a *responseState) afterPreviousOnce(ctx context.Context, header string) (*location, error) {
	session, message, err := a.findMessageOfResponse(ctx, a.request.Previous)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, errNoPrevious
	}
	if err != nil {
		return nil, err
	}
	a.history.round = message.RoundID
	// A fork has another id than the session that the client knows by its name.
	if header != "" && header != session.ID && header != session.ExternalID && session.Origin == nil {
		return nil, contradicted("/previous_response_id")
	}
	key := &domain.HistoryKey{Hash: rounds.Hash("response after", message.ID), Request: a.metadata}
	followed, err := a.Histories.KnownHistories(ctx, a.identity.Workspace, [2]string{key.Hash, ""})
	if err != nil {
		return nil, err
	}
	if len(followed) > 0 {
		key.Number = followed[0].Number + 1
	}
	others := false
	for _, h := range followed {
		s, m, err := a.stored(ctx, h)
		if err != nil {
			return nil, err
		}
		if m != nil && rounds.UserText(m.Rich) == a.history.last && rounds.SameAttachments(m.Rich, rounds.Attachments(a.history.pieces)) {
			a.listen(h.SessionID)
			return placed(s, m), nil
		}
		others = others || m != nil
	}
	if !others {
		return a.send(ctx, session.ID, key)
	}
	return a.fork(ctx, session, message, key)
}

// placed returns the location of a message that was sent before.
func placed(s *domain.Session, m *domain.Message) *location {
	at := &location{session: s.ID, message: m, after: m.Seq - 1, repeated: true}
	if m.Seq == 0 {
		at.after = s.LastSeq // it is queued, or was until now; results, until the session has the slot
	}
	return at
}

var errNoPrevious = &domain.Error{
	Code: domain.CodeNotFound, Message: "There is no such response.",
	Fields: []domain.FieldError{{Pointer: "/previous_response_id", Code: "unknown", Message: "There is no such response."}},
}

// fork creates a session whose record begins with that of another one, up to the end of a response.
func (a *responseState) fork(
	ctx context.Context, session *domain.Session, message *domain.Message, key *domain.HistoryKey,
) (*location, error) {
	end, err := a.endOf(ctx, session, message)
	if err != nil {
		return nil, err
	}
	id := a.NewID(domain.PrefixSession)
	a.listen(id)
	sent, err := a.newMessage(ctx, key, false)
	if err != nil {
		return nil, err
	}
	receipt, err := a.Door.ForkSession(ctx, a.identity.Workspace, session.ID, domain.NewFork{
		ID: id, MessageID: end, ProviderID: a.provider, Message: &sent, By: a.identity.Author(),
	})
	if err != nil {
		return nil, err
	}
	return &location{
		session: id, message: receipt.Message, after: receipt.Seq, newSessionReason: begunForked, departedFrom: session.ID, stored: true,
	}, nil
}

// begunForked is the reason for a new session after a response that was continued before.
const begunForked = "forked"

// endOf returns the id of the last message of a response's round.
func (a *requestState) endOf(ctx context.Context, session *domain.Session, message *domain.Message) (string, error) {
	after, err := a.Record.Messages(ctx, a.identity.Workspace, session.ID, message.Seq, maxRound)
	if err != nil {
		return "", err
	}
	end := message.ID
	for _, m := range after {
		if m.Seq == 0 || m.Sender == domain.SenderUser && m.RoundID != message.RoundID {
			break
		}
		end = m.ID
	}
	return end, nil
}

// newMessageOf returns the new message of a request that names a previous response. Instructions are
// ignored: they are at the beginning of the session.
func newMessageOf(all []inputMessage) ([]rounds.Piece, error) {
	var pieces []rounds.Piece
	var last inputMessage
	for _, m := range all {
		switch m.role {
		case roleAssistant:
			if m.ref != "" {
				continue // in the record already
			}
			return nil, domain.Invalid(m.at, "not_allowed",
				"previous_response_id refers to the history: send only the new message.")
		case roleUser:
			if len(pieces) > 0 {
				pieces = append(pieces, rounds.Piece{Text: separator})
			}
			pieces, last = append(pieces, m.pieces...), m
		}
	}
	if last.role == "" {
		return nil, domain.Invalid("/input", "not_a_message", "The last message must be one of the user.")
	}
	return pieces, checkText(pieces, last.content)
}
