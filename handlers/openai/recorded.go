package openai

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// continuesHistory reports whether the client's history matches the session so far: no later message
// of this client is in it, and the answer that the client has is the recorded one. Messages from
// other clients since then are ignored: this client cannot know them.
func (a *requestState) continuesHistory(ctx context.Context, h domain.KnownHistory) (bool, error) {
	if !h.Newest {
		return false, nil
	}
	_, message, err := a.stored(ctx, h)
	if message == nil || err != nil {
		return false, err
	}
	held := a.history.before[len(a.history.before)-1].answer
	if message.Seq == 0 {
		return held == "", nil
	}
	recorded, err := a.Record.Messages(ctx, a.identity.Workspace, h.SessionID, message.Seq, maxRound)
	return sameAnswer(held, answerIn(recorded)), err
}

// maxRound limits the messages of a round that are compared.
const maxRound = 200

// answerIn returns the answers up to the next message of a person.
func answerIn(messages []*domain.Message) string {
	var out string
	for _, m := range messages {
		if m.Sender == domain.SenderUser {
			break
		}
		out = joined(out, visibleText(m))
	}
	return out
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + separator + b
}

// visibleText returns the text of an answer that clients show.
func visibleText(m *domain.Message) string {
	if m.Superseded {
		return ""
	}
	return rounds.VisibleText(m)
}

// historyMatches reports whether every exchange of the client is in the record, in order. A client
// that uses our session header may send the new message alone; any other client without history has
// edited its first message.
func (a *requestState) historyMatches(ctx context.Context, session *domain.Session) (bool, error) {
	if len(a.history.before) == 0 && a.scope.ours {
		return true, nil
	}
	left, after := a.history.before, int64(0)
	for read := 0; read < maxCompared && (len(left) > 0 || read == 0); read += comparedAtOnce {
		page, err := a.Record.Messages(ctx, a.identity.Workspace, session.ID, after, comparedAtOnce)
		switch {
		case err != nil:
			return false, err
		case len(a.history.before) == 0:
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
func removeRecorded(left []exchange, record []*domain.Message) []exchange {
	for i, m := range record {
		if len(left) > 0 && m.Sender == domain.SenderUser && rounds.UserText(m.Rich) == left[0].user &&
			rounds.SameAttachments(m.Rich, rounds.Attachments(left[0].pieces)) && sameAnswer(left[0].answer, answerIn(record[i+1:])) {
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
