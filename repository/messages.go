package repository

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/userdata"
)

type messageRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	SessionID   string      `db:"session_id,key"`
	ID          string      `db:"id,key"`
	RoundID     string      `db:"round_id"`
	Seq         *int64      `db:"seq"` // NULL while it is queued
	At          sqldb.Stamp `db:"at"`
	Sender      string      `db:"sender"`
	Status      string      `db:"status"`
	SenderID    string      `db:"sender_id"`
	Rich        string      `db:"rich"`
	Text        string      `db:"text_content"`
	AI          string      `db:"ai"`
	Raw         string      `db:"raw"`
	System      string      `db:"system"`
	Run         string      `db:"run"`
	AnswersCall string      `db:"answers_call"`
	Exclude     bool        `db:"exclude_from_prompt"`
	SenderName  string      `db:"sender_name"`
	SenderRole  string      `db:"sender_role"`
	Payer       string      `db:"payer"`
	Tools       string      `db:"client_tools"`
	RetryOf     string      `db:"retry_of"`
	Superseded  bool        `db:"superseded"`
}

var messageTable = sqldb.NewTable[messageRow]("messages")

func messageRowOf(m *domain.Message) (messageRow, error) {
	var err error
	row := messageRow{
		WorkspaceID: m.WorkspaceID, SessionID: m.SessionID, ID: m.ID, RoundID: m.RoundID, At: sqldb.At(m.Timestamp),
		Sender: string(m.Sender), Status: string(m.Status), SenderID: m.SenderID, Text: m.Text,
		Rich: sqldb.JSONOf(keptContentOf(m.Rich), &err), AI: sqldb.JSONOf(m.AI, &err), Raw: sqldb.JSONOf(keptAnswerOf(m.Raw, m.AI), &err),
		System: sqldb.JSONOf(m.System, &err), Run: sqldb.JSONOf(m.Run, &err), AnswersCall: m.AnswersCall, Exclude: m.ExcludeFromPrompt,
		SenderName: m.SenderName, SenderRole: string(m.SenderRole), Payer: m.Payer,
		Tools: sqldb.JSONOf(m.Tools, &err), RetryOf: m.RetryOf, Superseded: m.Superseded,
	}
	if err != nil {
		return row, fmt.Errorf("write message %s: %w", m.ID, err)
	}
	if m.Seq > 0 {
		seq := m.Seq
		row.Seq = &seq
	}
	return row, nil
}

func (r *messageRow) message() (*domain.Message, error) {
	m := &domain.Message{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, RoundID: r.RoundID, Timestamp: r.At.Time,
		Sender: domain.Sender(r.Sender), Status: domain.MessageStatus(r.Status),
		SenderID: r.SenderID, SenderName: r.SenderName, SenderRole: domain.Role(r.SenderRole), Payer: r.Payer,
		Text: r.Text, AnswersCall: r.AnswersCall, ExcludeFromPrompt: r.Exclude, RetryOf: r.RetryOf, Superseded: r.Superseded,
	}
	if r.Seq != nil {
		m.Seq = *r.Seq
	}
	var errs [6]error
	var rich *keptContent
	var raw *keptAnswer
	rich, errs[0] = sqldb.DecodeJSON[keptContent](r.Rich)
	m.AI, errs[1] = sqldb.DecodeJSON[domain.AIMessage](r.AI)
	raw, errs[2] = sqldb.DecodeJSON[keptAnswer](r.Raw)
	m.System, errs[3] = sqldb.DecodeJSON[domain.SystemMessage](r.System)
	m.Run, errs[4] = sqldb.DecodeJSON[domain.ExecutionMetadata](r.Run)
	m.Tools, errs[5] = sqldb.DecodeJSON[domain.ClientTools](r.Tools)
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("read message %s: %w", r.ID, err)
		}
	}
	m.Rich, m.Raw = rich.content(), raw.answer(m.AI)
	return m, nil
}

// unsaid estimates how much longer the message is than its row.
func (r *messageRow) unsaid() int {
	sum := 0
	if strings.HasSuffix(r.Raw, `"as_read":true}`) {
		sum += len(r.AI)
	}
	if strings.HasSuffix(r.Rich, `"one_text":true}`) {
		sum += len(r.Rich)
	}
	return sum
}

// Messages lists a session's messages: the numbered ones after a number, in order, then the queued
// ones, oldest first. limit 0 returns all, for the prompt. Lists for clients use MessagePage.
func (s *SessionStore) Messages(ctx context.Context, workspace, session string, after int64, limit int) ([]*domain.Message, error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	var rows []messageRow
	err := s.db.All(ctx, &rows, messageList, workspace, session, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list the messages: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.db, workspace, session); err != nil {
			return nil, err
		}
	}
	return transaction.Each(rows, (*messageRow).message)
}

// messagesIn lists all messages of a short session, within a transaction.
func messagesIn(ctx context.Context, r sqldb.Reader, workspace, session string) ([]*domain.Message, error) {
	var rows []messageRow
	if err := r.All(ctx, &rows, messageList, workspace, session, 0, 1000); err != nil {
		return nil, fmt.Errorf("list the messages: %w", err)
	}
	return transaction.Each(rows, (*messageRow).message)
}

// messageList reads each of the two kinds in the order of an index, so that the cost of a page does
// not depend on the length of the session.
var messageList = "SELECT " + messageTable.Columns() + " FROM (" +
	"SELECT * FROM (SELECT 0 AS kind, " + messageTable.Columns() + " FROM messages " +
	"WHERE workspace_id = $1 AND session_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) placed " +
	"UNION ALL SELECT * FROM (SELECT 1 AS kind, " + messageTable.Columns() + " FROM messages " +
	"WHERE workspace_id = $1 AND session_id = $2 AND seq IS NULL ORDER BY at, id LIMIT $4) waiting" +
	") listed ORDER BY kind, seq, at, id LIMIT $4"

// Message returns one message.
func (s *SessionStore) Message(ctx context.Context, workspace, session, id string) (*domain.Message, error) {
	return messageIn(ctx, s.db, workspace, session, id)
}

func messageIn(ctx context.Context, r sqldb.Reader, workspace, session, id string) (*domain.Message, error) {
	var row messageRow
	err := r.Get(ctx, &row, "SELECT "+messageTable.Columns()+" FROM messages WHERE workspace_id = $1 AND session_id = $2 AND id = $3",
		workspace, session, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("message")
	}
	if err != nil {
		return nil, fmt.Errorf("read the message: %w", err)
	}
	return row.message()
}

// writeMessages writes the changes to messages. One that is created and placed, or created and
// deleted, in the same change is written in its final state.
func writeMessages(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
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
	if err := insertMessages(t, transaction.Distinct(made, id), gone); err != nil {
		return err
	}
	if err := userdata.WriteFileUses(ctx, t, c, gone); err != nil {
		return err
	}
	if err := changeMessages(ctx, t, transaction.Distinct(changed, id), gone); err != nil {
		return err
	}
	if err := markMessages(ctx, t, c.MarkedMessages); err != nil {
		return err
	}
	for _, m := range c.DeletedMessages {
		if fresh[m.ID] {
			continue
		}
		_, err := t.Write(ctx, "DELETE FROM messages WHERE workspace_id = $1 AND session_id = $2 AND id = $3",
			m.WorkspaceID, m.SessionID, m.ID)
		if err != nil {
			return fmt.Errorf("delete a message: %w", err)
		}
	}
	return nil
}

func insertMessages(t *transaction.Tx, messages []*domain.Message, gone map[string]bool) error {
	rows := make([]messageRow, 0, len(messages))
	for _, m := range messages {
		if gone[m.ID] {
			continue
		}
		row, err := messageRowOf(m)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	t.InsertLater(messageTable.Rows(rows...))
	return nil
}

// markMessages records for numbered messages whether another answer superseded them. Their content
// is not written again.
func markMessages(ctx context.Context, t *transaction.Tx, messages []*domain.Message) error {
	for _, m := range messages {
		err := t.WriteOne(ctx, domain.ErrStale, "UPDATE messages SET superseded = $4 WHERE workspace_id = $1 AND session_id = $2 AND id = $3",
			m.WorkspaceID, m.SessionID, m.ID, m.Superseded)
		if err != nil {
			return fmt.Errorf("mark message %s: %w", m.ID, err)
		}
	}
	return nil
}

// changeMessages rewrites queued messages; the content of a numbered message never changes.
func changeMessages(ctx context.Context, t *transaction.Tx, messages []*domain.Message, gone map[string]bool) error {
	for _, m := range messages {
		if gone[m.ID] {
			continue
		}
		row, err := messageRowOf(m)
		if err != nil {
			return err
		}
		if err := t.WriteOne(ctx, domain.ErrStale, messageUpdate, messageTable.Updated(&row)...); err != nil {
			return fmt.Errorf("change message %s: %w", m.ID, err)
		}
	}
	return nil
}

var messageUpdate = messageTable.Update() + " AND seq IS NULL"
