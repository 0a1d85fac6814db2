package repository

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// messageCursor marks the end of a page of messages: after the message with the number Seq and, if
// it ended among the queued messages, after the one with time At and id ID. Its text is the number,
// or "number.time.id".
type messageCursor struct {
	Seq int64
	At  time.Time
	ID  string // "": not among those that wait
}

func (c messageCursor) String() string {
	text := strconv.FormatInt(c.Seq, 10)
	if c.ID != "" {
		text += "." + strconv.FormatInt(c.At.UnixMicro(), 10) + "." + c.ID
	}
	return text
}

func readMessageCursor(text string) (c messageCursor, err error) {
	if text == "" {
		return c, nil
	}
	number, rest, among := strings.Cut(text, ".")
	c.Seq, err = strconv.ParseInt(number, 10, 64)
	if among && err == nil {
		at, id, _ := strings.Cut(rest, ".")
		var micros int64
		micros, err = strconv.ParseInt(at, 10, 64)
		c.At, c.ID = time.UnixMicro(micros).UTC(), id
	}
	if err != nil || c.Seq < 0 || among && c.ID == "" {
		return c, domain.Invalid("/after", "bad_cursor", "after takes the seq of a message, or the next_cursor of the page before.")
	}
	return c, nil
}

// MessagePage lists a page of a session's messages. The second result is the cursor of the next
// page, "" at the end. Numbered messages come first, in order, then queued ones, oldest first;
// latest first reverses the whole. In a fork the inherited messages come before its own.
func (s *SessionStore) MessagePage(ctx context.Context, session *domain.Session, cursor string, limit int, latest bool) (
	messages []*domain.Message, next string, err error,
) {
	from, err := readMessageCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	p := &messagePage{workspace: session.WorkspaceID, session: session.ID, of: session, from: from}
	p.room = sqldb.RoomFor(domain.PageSize{Rows: sqldb.PageSize(limit)})
	err = s.db.Read(ctx, func(r sqldb.Reader) error {
		if latest {
			err = p.latest(ctx, r)
		} else {
			err = p.inOrder(ctx, r)
		}
		if err == nil && len(p.rows) == 0 {
			err = sessionExists(ctx, r, session.WorkspaceID, session.ID)
		}
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list the messages: %w", err)
	}
	messages, err = transaction.Each(p.rows, (*messageRow).message)
	return messages, p.next, err
}

// messagePage is a page being read. It reads two kinds of rows, each in the order of an index, so
// that the cost of a page does not depend on the length of the session.
type messagePage struct {
	workspace, session string
	of                 *domain.Session
	from               messageCursor
	room               *sqldb.Room
	rows               []messageRow
	next               string
}

var (
	placedMessages  = placedIn("messages")
	waitingMessages = "SELECT " + messageTable.Columns() + " FROM messages WHERE workspace_id = ? AND session_id = ? AND seq IS NULL"
)

func placedIn(table string) string {
	return "SELECT " + messageTable.Columns() + " FROM " + table + " WHERE workspace_id = ? AND session_id = ? AND seq "
}

func (p *messagePage) inOrder(ctx context.Context, r sqldb.Reader) error {
	if full, err := p.inherited(ctx, r, p.of.Inherited(), "> ? AND seq <= ? ORDER BY seq"); full || err != nil {
		return err
	}
	more, err := p.read(ctx, r, sqldb.NewQuery(placedMessages+"> ? ORDER BY seq", p.workspace, p.session, p.from.Seq))
	if err != nil {
		return err
	}
	end := p.from
	if n := len(p.rows); n > 0 {
		end.Seq = *p.rows[n-1].Seq
	}
	if more {
		p.next = messageCursor{Seq: end.Seq}.String()
		return nil
	}
	q := sqldb.NewQuery(waitingMessages, p.workspace, p.session)
	if p.from.ID != "" {
		q.Add(" AND (at, id) > (?, ?)", sqldb.At(p.from.At), p.from.ID)
	}
	q.Add(" ORDER BY at, id")
	if more, err = p.read(ctx, r, q); more && err == nil {
		p.next = p.endingAt(end)
	}
	return err
}

func (p *messagePage) latest(ctx context.Context, r sqldb.Reader) error {
	if p.from.Seq == 0 {
		q := sqldb.NewQuery(waitingMessages, p.workspace, p.session)
		if p.from.ID != "" {
			q.Add(" AND (at, id) < (?, ?)", sqldb.At(p.from.At), p.from.ID)
		}
		q.Add(" ORDER BY at DESC, id DESC")
		more, err := p.read(ctx, r, q)
		if err != nil || more {
			p.next = p.endingAt(p.from)
			return err
		}
		p.from.Seq = math.MaxInt64
	}
	more, err := p.read(ctx, r, sqldb.NewQuery(placedMessages+"< ? ORDER BY seq DESC", p.workspace, p.session, p.from.Seq))
	if err != nil {
		return err
	}
	if more {
		p.next = p.endingAt(messageCursor{})
		return nil
	}
	parts := slices.Clone(p.of.Inherited())
	slices.Reverse(parts)
	_, err = p.inherited(ctx, r, parts, "> ? AND seq <= ? ORDER BY seq DESC")
	return err
}

// inherited reads the inherited parts from where the page begins. full reports that the page has no
// room for all of them.
func (p *messagePage) inherited(ctx context.Context, r sqldb.Reader, parts []domain.RecordPart, order string) (full bool, err error) {
	descending := strings.HasSuffix(order, "DESC")
	for _, part := range parts {
		after, to := max(part.After, p.from.Seq), part.To
		if descending {
			after, to = part.After, min(part.To, p.from.Seq-1)
		}
		for _, table := range keptIn {
			if after >= to {
				break
			}
			n := len(p.rows)
			more, err := p.read(ctx, r, sqldb.NewQuery(placedIn(table)+order, p.workspace, part.SessionID, after, to))
			for i := range p.rows[n:] {
				p.rows[n+i].inherit(p.of, part)
			}
			if more || err != nil {
				p.next = p.endingAt(messageCursor{Seq: after})
				return true, err
			}
			if len(p.rows) > n {
				break
			}
		}
	}
	return false, nil
}

// endingAt returns the cursor after the last row that was read, or end if there is none.
func (p *messagePage) endingAt(end messageCursor) string {
	if len(p.rows) == 0 {
		return end.String()
	}
	last := p.rows[len(p.rows)-1]
	if last.Seq != nil {
		return messageCursor{Seq: *last.Seq}.String()
	}
	return messageCursor{Seq: end.Seq, At: last.At.Time, ID: last.ID}.String()
}

// read adds the rows of a query as long as they fit.
func (p *messagePage) read(ctx context.Context, r sqldb.Reader, q *sqldb.Query) (more bool, err error) {
	rows, more, err := sqldb.FillEach(ctx, r, p.room, q, func(row *messageRow) ([]*messageRow, error) { return []*messageRow{row}, nil },
		func(row *messageRow) int { return sqldb.Weight(row) + row.unsaid() })
	for _, row := range rows {
		p.rows = append(p.rows, *row)
	}
	return more, err
}
