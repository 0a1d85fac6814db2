package rounds

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// continuesHistory reports whether the client's history matches the session so far: no later message
// of this client is in it, and the answer that the client has is the recorded one. Messages from
// other clients since then are ignored: this client cannot know them.
func (f *historyFinder) continuesHistory(ctx context.Context, h domain.KnownHistory) (bool, error) {
	if !h.Newest {
		return false, nil
	}
	_, message, err := f.StoredMessage(ctx, h.SessionID, h.MessageID)
	if message == nil || err != nil {
		return false, err
	}
	held := f.history.latestAnswer()
	if message.Seq == 0 {
		return held == "", nil
	}
	recorded, err := f.Record.Messages(ctx, f.Caller.Workspace, h.SessionID, message.Seq, maxRound)
	return sameAnswer(held, answerIn(recorded)), err
}

// answerIn returns the answers up to the next message of a person.
func answerIn(messages []*domain.Message) string {
	var out string
	for _, m := range messages {
		if m.Sender == domain.SenderUser {
			break
		}
		out = Joined(out, CurrentText(m))
	}
	return out
}

// CurrentText returns the text of an answer that clients show; "" if it is superseded.
func CurrentText(m *domain.Message) string {
	if m.Superseded {
		return ""
	}
	return visibleText(m)
}

// historyMatches reports whether every exchange of the client is in the record, in order. A client
// that uses our session header may send the new message alone; any other client without history has
// edited its first message.
func (f *historyFinder) historyMatches(ctx context.Context, session *domain.Session) (bool, error) {
	if len(f.history.Before) == 0 && f.history.Scope.Ours {
		return true, nil
	}
	left, after := f.history.Before, int64(0)
	for read := 0; read < maxCompared && (len(left) > 0 || read == 0); read += comparedAtOnce {
		page, err := f.Record.Messages(ctx, f.Caller.Workspace, session.ID, after, comparedAtOnce)
		switch {
		case err != nil:
			return false, err
		case len(f.history.Before) == 0:
			return len(page) == 0, nil
		case len(page) < comparedAtOnce:
			return len(removeRecorded(left, page)) == 0, nil
		}
		page = wholeRounds(page)
		left, after = removeRecorded(left, page), page[len(page)-1].Seq
	}
	return len(left) == 0, nil
}

// removeRecorded returns the exchanges that are left after removing those of the record, in order.
func removeRecorded(left []Exchange, record []*domain.Message) []Exchange {
	for i, m := range record {
		if len(left) > 0 && m.Sender == domain.SenderUser && UserText(m.Rich) == left[0].User &&
			sameAttachments(m.Rich, Attachments(left[0].Pieces)) && sameAnswer(left[0].Answer, answerIn(record[i+1:])) {
			left = left[1:]
		}
	}
	return left
}

// wholeRounds removes the messages of a round that is cut by the end of a page.
func wholeRounds(page []*domain.Message) []*domain.Message {
	for i := len(page) - 1; i > 0; i-- {
		if page[i].Sender == domain.SenderUser {
			return page[:i]
		}
	}
	return page
}

// Limits of comparing a record for which no history of this client is stored.
const (
	comparedAtOnce = 500
	maxCompared    = 10_000
)
