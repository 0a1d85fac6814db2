package repository

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// timelineKey is where a page of a timeline ended in each of the three tables, whose rows are read
// in the order in which they were written. So a row that is written between two pages is never
// skipped.
type timelineKey struct {
	Transition int64  `json:"t,omitempty"`
	Number     int    `json:"n,omitempty"` // of the roundtrip
	Roundtrip  string `json:"r,omitempty"`
	Created    int64  `json:"c,omitempty"` // of the execution, followed by its position and id
	Position   int    `json:"p,omitempty"`
	Execution  string `json:"e,omitempty"`
}

func (k timelineKey) String() string {
	b, err := json.Marshal(k)
	if err != nil {
		panic("repository: a cursor of numbers and texts cannot fail to encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func readTimelineKey(cursor string) (timelineKey, error) {
	k := timelineKey{Number: -1, Created: -1}
	if cursor == "" {
		return k, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil || k.Transition == 0 && k.Roundtrip == "" && k.Execution == "" {
		return k, domain.Invalid("/after", "bad_cursor", "This cursor is not one that the server gave out.")
	}
	return k, nil
}

// past moves the key beyond a line.
func (k *timelineKey) past(l *reports.RecordLine) {
	switch l.Kind {
	case reports.RecordTransition:
		k.Transition = l.Transition.Number
	case reports.RecordRoundtrip:
		k.Number, k.Roundtrip = l.Roundtrip.Number, l.Roundtrip.ID
	case reports.RecordExecution:
		k.Created, k.Position, k.Execution = l.Execution.CreatedAt.UnixMicro(), l.Execution.Position, l.Execution.ID
	}
}

// Timeline returns a page of everything that happened in a session, in order. The second result is
// the cursor of the next page, "" at the end.
func (s *RecordStore) Timeline(ctx context.Context, workspace, session string, f reports.TimelineFilter) (
	[]reports.RecordLine, string, error,
) {
	key, err := readTimelineKey(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := sqldb.PageSize(f.Limit)
	heads := make([]head, len(reports.RecordKinds))
	err = s.db.Read(ctx, func(r sqldb.Reader) error {
		if err := sessionExists(ctx, r, workspace, session); err != nil {
			return err // the roundtrips of a deleted session stay, but only for the sums
		}
		for i, read := range []func(context.Context, sqldb.Reader, string, string, reports.TimelineFilter, timelineKey, int) (head, error){
			transitionLines, roundtripLines, executionLines,
		} {
			if !f.Wants(reports.RecordKinds[i]) {
				continue
			}
			var err error
			if heads[i], err = read(ctx, r, workspace, session, f, key, limit); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	page := make([]reports.RecordLine, 0, limit)
	for {
		first, more := earliest(heads)
		switch {
		case first < 0 && !more:
			return page, "", nil
		case first < 0 || len(page) == limit:
			return page, key.String(), nil
		}
		line := heads[first].lines[0]
		heads[first].lines = heads[first].lines[1:]
		page = append(page, line)
		key.past(&line)
	}
}

// head is the beginning of one table's part of a timeline; more reports that there are further
// rows.
type head struct {
	lines []reports.RecordLine
	more  bool
}

// earliest returns the index of the list with the earliest line; -1 if all lists are empty, or if
// one that is exhausted has more rows, because the next line may be among these.
func earliest(heads []head) (first int, more bool) {
	first = -1
	var at time.Time
	for i, h := range heads {
		switch {
		case len(h.lines) == 0 && h.more:
			return -1, true
		case len(h.lines) > 0 && (first < 0 || h.lines[0].At.Before(at)):
			first, at = i, h.lines[0].At
		}
	}
	return first, false
}

// lines reads rows and converts them to lines of a timeline.
func lines[R any](
	ctx context.Context, r sqldb.Reader, q *sqldb.Query, f reports.TimelineFilter, order string, limit int,
	line func(*R) (reports.RecordLine, error),
) (head, error) {
	if f.RoundID != "" {
		q.Add(" AND round_id = ?", f.RoundID)
	}
	q.Add(" ORDER BY " + order)
	rows, more, err := sqldb.Fill[R](ctx, r, sqldb.RoomFor(domain.PageSize{Rows: limit}), q)
	if err != nil {
		return head{}, fmt.Errorf("read the timeline: %w", err)
	}
	out := head{lines: make([]reports.RecordLine, 0, len(rows)), more: more}
	for i := range rows {
		l, err := line(&rows[i])
		if err != nil {
			return head{}, err
		}
		out.lines = append(out.lines, l)
	}
	return out, nil
}

func transitionLines(
	ctx context.Context, r sqldb.Reader, workspace, session string, f reports.TimelineFilter, after timelineKey, limit int,
) (head, error) {
	q := sqldb.NewQuery("SELECT "+transitionTable.Columns()+" FROM transitions WHERE workspace_id = ? AND session_id = ? AND number > ?",
		workspace, session, after.Transition)
	return lines(ctx, r, q, f, "number", limit, func(row *transitionRow) (reports.RecordLine, error) {
		t, err := row.transition()
		return reports.RecordLine{Kind: reports.RecordTransition, At: row.At.Time, Transition: t}, err
	})
}

func roundtripLines(
	ctx context.Context, r sqldb.Reader, workspace, session string, f reports.TimelineFilter, after timelineKey, limit int,
) (head, error) {
	q := sqldb.NewQuery("SELECT "+roundtripTable.Columns()+" FROM roundtrips WHERE workspace_id = ? AND session_id = ? "+
		"AND (number, id) > (?, ?)",
		workspace, session, after.Number, after.Roundtrip)
	return lines(ctx, r, q, f, "number, id", limit, func(row *roundtripRow) (reports.RecordLine, error) {
		t, err := row.roundtrip()
		return reports.RecordLine{Kind: reports.RecordRoundtrip, At: row.StartedAt.Time, Roundtrip: t}, err
	})
}

// longest limits the characters of params, a result or its text in a timeline.
const longest = 4000

// boundedColumns are the columns of an execution, without values that are too long for a timeline.
// JSON is omitted entirely, because half of it would be invalid.
var boundedColumns = fmt.Sprintf("workspace_id, id, session_id, round_id, message_id, call_id, position, command, "+
	"CASE WHEN LENGTH(params) > %[1]d THEN '' ELSE params END AS params, LENGTH(params) AS params_length, "+
	"repeat, command_id, kind, effect, status, attempt, approval_id, digest, grant_id, "+
	"CASE WHEN LENGTH(result) > %[1]d THEN '' ELSE result END AS result, LENGTH(result) AS result_length, "+
	"SUBSTR(result_text, 1, %[1]d) AS result_text, LENGTH(result_text) AS text_length, "+
	"note, error, created_at, started_at, ended_at", longest)

type boundedRow struct {
	executionRow
	ParamsLength int `db:"params_length"`
	ResultLength int `db:"result_length"`
	TextLength   int `db:"text_length"`
}

// began is the position of an execution in a timeline: one that was planned long before it ran, or
// was cancelled, is shown where that happened.
func (r *boundedRow) began() time.Time {
	for _, at := range []sqldb.Stamp{r.StartedAt, r.EndedAt} {
		if !at.IsZero() {
			return at.Time
		}
	}
	return r.CreatedAt.Time
}

func executionLines(
	ctx context.Context, r sqldb.Reader, workspace, session string, f reports.TimelineFilter, after timelineKey, limit int,
) (head, error) {
	columns := boundedColumns
	if f.Whole {
		columns = executionTable.Columns()
	}
	q := sqldb.NewQuery("SELECT "+columns+" FROM executions WHERE workspace_id = ? AND session_id = ? "+
		"AND (created_at, position, id) > (?, ?, ?)",
		workspace, session, after.Created, after.Position, after.Execution)
	return lines(ctx, r, q, f, "created_at, position, id", limit, func(row *boundedRow) (reports.RecordLine, error) {
		e, err := row.execution()
		line := reports.RecordLine{Kind: reports.RecordExecution, At: row.began(), Execution: e}
		for name, length := range map[string]int{"params": row.ParamsLength, "result": row.ResultLength, "text": row.TextLength} {
			if length > longest {
				line.Cut = append(line.Cut, name)
			}
		}
		return line, err
	})
}
