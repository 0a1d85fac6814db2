package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type messageRow struct {
	WorkspaceID string `db:"workspace_id"`
	SessionID   string `db:"session_id"`
	ID          string `db:"id"`
	RoundID     string `db:"round_id"`
	Seq         *int64 `db:"seq"`
	At          stamp  `db:"at"`
	Sender      string `db:"sender"`
	Status      string `db:"status"`
	SenderID    string `db:"sender_id"`
	Rich        string `db:"rich"`
	Text        string `db:"text_content"`
	AI          string `db:"ai"`
	Raw         string `db:"raw"`
	System      string `db:"system"`
	Run         string `db:"run"`
	AnswersCall string `db:"answers_call"`
	Exclude     bool   `db:"exclude_from_prompt"`
	SenderName  string `db:"sender_name"`
	SenderRole  string `db:"sender_role"`
}

// The first three columns of a message identify it; the others are written.
const (
	messageWritten = "round_id, seq, at, sender, status, sender_id, rich, text_content, ai, raw, system, run, " +
		"answers_call, exclude_from_prompt, sender_name, sender_role"
	messageColumns = "workspace_id, session_id, id, " + messageWritten
	messageWidth   = 19
)

// messageArgs are the values of messageColumns.
func messageArgs(m *domain.Message) ([]any, error) {
	var texts [5]string
	var err error
	for i, encode := range []func() (string, error){
		func() (string, error) { return text(m.Rich) },
		func() (string, error) { return text(m.AI) },
		func() (string, error) { return text(m.Raw) },
		func() (string, error) { return text(m.System) },
		func() (string, error) { return text(m.Run) },
	} {
		if texts[i], err = encode(); err != nil {
			return nil, fmt.Errorf("write message %s: %w", m.ID, err)
		}
	}
	var seq any // NULL while it waits its turn
	if m.Seq > 0 {
		seq = m.Seq
	}
	return []any{
		m.WorkspaceID, m.SessionID, m.ID, m.RoundID, seq, stamp{m.Timestamp}, string(m.Sender), string(m.Status),
		m.SenderID, texts[0], m.Text, texts[1], texts[2], texts[3], texts[4], m.AnswersCall, m.ExcludeFromPrompt,
		m.SenderName, string(m.SenderRole),
	}, nil
}

func (r *messageRow) message() (*domain.Message, error) {
	m := &domain.Message{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, RoundID: r.RoundID, Timestamp: r.At.Time,
		Sender: domain.Sender(r.Sender), Status: domain.MessageStatus(r.Status),
		SenderID: r.SenderID, SenderName: r.SenderName, SenderRole: domain.Role(r.SenderRole),
		Text: r.Text, AnswersCall: r.AnswersCall, ExcludeFromPrompt: r.Exclude,
	}
	if r.Seq != nil {
		m.Seq = *r.Seq
	}
	var errs [5]error
	m.Rich, errs[0] = parsed[domain.RichContent](r.Rich)
	m.AI, errs[1] = parsed[domain.AIMessage](r.AI)
	m.Raw, errs[2] = parsed[domain.RawAnswer](r.Raw)
	m.System, errs[3] = parsed[domain.SystemMessage](r.System)
	m.Run, errs[4] = parsed[domain.ExecutionMetadata](r.Run)
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("read message %s: %w", r.ID, err)
		}
	}
	return m, nil
}

// Messages lists a session's messages: those in their place after the number
// after, in order, then those that wait their turn, oldest first. limit 0 means all: it
// is for the prompt. Lists for callers go by MessagePage.
func (s *Store) Messages(ctx context.Context, workspace, session string, after int64, limit int) ([]*domain.Message, error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	var rows []messageRow
	err := s.reads.all(ctx, &rows, messageList, workspace, session, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list the messages: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.reads, workspace, session); err != nil {
			return nil, err
		}
	}
	return each(rows, (*messageRow).message)
}

// messagesIn lists all of a short session's messages, within a transaction.
func messagesIn(ctx context.Context, r reader, workspace, session string) ([]*domain.Message, error) {
	var rows []messageRow
	if err := r.all(ctx, &rows, messageList, workspace, session, 0, 1000); err != nil {
		return nil, fmt.Errorf("list the messages: %w", err)
	}
	return each(rows, (*messageRow).message)
}

// messageList takes each of the two kinds in the order of an index, so that a page of
// a long session costs no more than one of a short one.
const messageList = "SELECT " + messageColumns + " FROM (" +
	"SELECT * FROM (SELECT 0 AS kind, " + messageColumns + " FROM messages " +
	"WHERE workspace_id = $1 AND session_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) placed " +
	"UNION ALL SELECT * FROM (SELECT 1 AS kind, " + messageColumns + " FROM messages " +
	"WHERE workspace_id = $1 AND session_id = $2 AND seq IS NULL ORDER BY at, id LIMIT $4) waiting" +
	") listed ORDER BY kind, seq, at, id LIMIT $4"

// Message reads one message.
func (s *Store) Message(ctx context.Context, workspace, session, id string) (*domain.Message, error) {
	return messageIn(ctx, s.reads, workspace, session, id)
}

func messageIn(ctx context.Context, r reader, workspace, session, id string) (*domain.Message, error) {
	var row messageRow
	err := r.get(ctx, &row, "SELECT "+messageColumns+" FROM messages WHERE workspace_id = $1 AND session_id = $2 AND id = $3",
		workspace, session, id)
	if missing(err) {
		return nil, domain.NotFound("message")
	}
	if err != nil {
		return nil, fmt.Errorf("read the message: %w", err)
	}
	return row.message()
}

// writeMessages writes all that a change says about messages. One that is made and
// placed, or made and deleted, in the same change is written as it is at the end.
func (t *tx) writeMessages(ctx context.Context, c *domain.Change) error {
	gone := map[string]bool{}
	for _, m := range c.DeletedMessages {
		gone[m.ID] = true
	}
	fresh := map[string]bool{}
	for _, m := range c.Messages {
		fresh[m.ID] = true
	}
	made := append([]*domain.Message(nil), c.Messages...)
	var changed []*domain.Message
	for _, m := range append(append([]*domain.Message(nil), c.EditedMessages...), c.PlacedMessages...) {
		if fresh[m.ID] {
			made = append(made, m)
		} else {
			changed = append(changed, m)
		}
	}
	id := func(m *domain.Message) string { return m.ID }
	if err := t.insertMessages(distinct(made, id), gone); err != nil {
		return err
	}
	if err := t.changeMessages(ctx, distinct(changed, id), gone); err != nil {
		return err
	}
	for _, m := range c.DeletedMessages {
		if fresh[m.ID] {
			continue
		}
		_, err := t.exec(ctx, "DELETE FROM messages WHERE workspace_id = $1 AND session_id = $2 AND id = $3",
			m.WorkspaceID, m.SessionID, m.ID)
		if err != nil {
			return fmt.Errorf("delete a message: %w", err)
		}
	}
	return nil
}

func (t *tx) insertMessages(messages []*domain.Message, gone map[string]bool) error {
	var args []any
	for _, m := range messages {
		if gone[m.ID] {
			continue
		}
		values, err := messageArgs(m)
		if err != nil {
			return err
		}
		args = append(args, values...)
	}
	t.later(batch{"messages", messageColumns, messageWidth, args})
	return nil
}

// changeMessages rewrites messages that wait their turn; one that is in its place is
// never changed.
func (t *tx) changeMessages(ctx context.Context, messages []*domain.Message, gone map[string]bool) error {
	for _, m := range messages {
		if gone[m.ID] {
			continue
		}
		values, err := messageArgs(m)
		if err != nil {
			return err
		}
		if err := t.must(ctx, 1, domain.ErrStale, messageUpdate, values...); err != nil {
			return fmt.Errorf("change message %s: %w", m.ID, err)
		}
	}
	return nil
}

var messageUpdate = "UPDATE messages SET (" + messageWritten + ") = (" + placeholders(4, messageWidth-3) + ") " +
	"WHERE workspace_id = $1 AND session_id = $2 AND id = $3 AND seq IS NULL"
