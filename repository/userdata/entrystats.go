package userdata

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// orderedEntries is a page in the order of a field, and then of time and id.
func orderedEntries(ctx context.Context, d *Data, f *userdata.EntryFilter) ([]userdata.Entry, string, error) {
	// The keys are made from the type and the value of the field, which are read once for each entry; only the entries of
	// the page are read whole.
	q := sqldb.NewQuery("")
	fields := d.dialect.JSONFields(q)
	kind, value := fields.TypeAndValue(f.Order)
	order := orderingOf(d.dialect, d.dialect.Typed("kind", "value"), f.Descending)
	q.Add("WITH read AS MATERIALIZED (SELECT id, at, " + kind + " AS kind, " + value + " AS value FROM entries")
	ctx = ofTool(ctx, d, q, fields, f.ToolID, f.From, f.Until, f.Conditions)
	q.Add("), keyed AS (SELECT id, at, " + order.rank + " AS order_rank, " + order.number + " AS order_number, " + order.text +
		" AS order_text FROM read), page AS (SELECT * FROM keyed")
	compare, direction := " > ", ""
	if f.Descending {
		compare, direction = " < ", " DESC"
	}
	if f.Cursor != "" {
		after, err := readOrderedCursor(f.Cursor, f.Order, f.Descending)
		if err != nil {
			return nil, "", err
		}
		q.Add(" WHERE (order_rank, order_number, order_text, at, id)"+compare+"(?, ?, ?, ?, ?)",
			after.Rank, after.Number, after.Text, microseconds(after.At), after.ID)
	}
	by := " ORDER BY " + strings.Join([]string{"order_rank", "order_number", "order_text", "at", "id"}, direction+", ") + direction
	size := domain.PageSize{Rows: sqldb.PageSize(f.Limit)}
	q.Add(by+" LIMIT ?", size.Rows+1)
	q.Add(") SELECT "+entryTable.ColumnsOf("e")+", order_rank, order_number, order_text FROM page JOIN entries e ON e.workspace_id = ? "+
		"AND e.id = page.id", d.workspace)
	q.Add(strings.ReplaceAll(strings.ReplaceAll(by, ", at", ", page.at"), ", id", ", page.id"))
	rows, more, err := sqldb.Fill[orderedRow](ctx, d.r, sqldb.RoomFor(size), q)
	if err != nil {
		return nil, "", fmt.Errorf("list the entries by a field: %w", err)
	}
	next := ""
	if more {
		last := &rows[len(rows)-1]
		cursor := orderedCursor{
			Order: f.Order, Descending: f.Descending,
			Rank: last.Rank, Number: last.Number, Text: last.Text, At: last.At.UnixMicro(), ID: last.ID,
		}
		next = cursor.String()
	}
	return transaction.Values(rows, (*orderedRow).entry), next, nil
}

// statsRow is a row of statistics. Without a numeric field only the count is there.
type statsRow struct {
	Count  int64    `db:"n"`
	Min    *float64 `db:"low"`
	Max    *float64 `db:"high"`
	Mean   *float64 `db:"mean"`
	Sum    *float64 `db:"total"`
	Latest *float64 `db:"latest"`
}

func (r *statsRow) stats() userdata.Stats {
	return userdata.Stats{Count: r.Count, Min: r.Min, Max: r.Max, Mean: r.Mean, Sum: r.Sum, Last: r.Latest}
}

// Stats computes the statistics of a numeric field, in the database. Entries in which the field is missing or not a
// number (or one beyond 1e290) are left out; Last is the latest by time. Without a field, the entries are counted.
func (d *Data) Stats(ctx context.Context, f userdata.StatsFilter) (userdata.Stats, error) {
	if f.Field == nil {
		q := sqldb.NewQuery("SELECT COUNT(*) FROM entries")
		ctx = ofTool(ctx, d, q, d.dialect.JSONFields(q), f.ToolID, f.From, f.Until, f.Conditions)
		var s userdata.Stats
		if err := d.r.Get(ctx, &s.Count, q.Text(), q.Args()...); err != nil {
			return userdata.Stats{}, fmt.Errorf("count the entries that meet conditions: %w", err)
		}
		return trusted(ctx, d, s, f.ToolID)
	}
	// MATERIALIZED: each text is read once, not once for each of the figures. The mean is not AVG, which squares the numbers
	// on PostgreSQL and so fails for large ones.
	q := sqldb.NewQuery("")
	fields := d.dialect.JSONFields(q)
	q.Add("WITH numbers AS MATERIALIZED (SELECT at, id, " + fields.Of(f.Field).Number + " AS value FROM entries")
	ctx = ofTool(ctx, d, q, fields, f.ToolID, f.From, f.Until, f.Conditions)
	q.Add(") SELECT COUNT(value) AS n, MIN(value) AS low, MAX(value) AS high, SUM(value) / COUNT(value) AS mean, SUM(value) AS total, " +
		"(SELECT value FROM numbers WHERE value IS NOT NULL ORDER BY at DESC, id DESC LIMIT 1) AS latest FROM numbers WHERE value IS NOT NULL")
	var row statsRow
	if err := d.r.Get(ctx, &row, q.Text(), q.Args()...); err != nil {
		return userdata.Stats{}, fmt.Errorf("compute the statistics: %w", err)
	}
	return trusted(ctx, d, row.stats(), f.ToolID)
}

// trusted adds the trust of the entries.
func trusted(ctx context.Context, d *Data, s userdata.Stats, tool string) (_ userdata.Stats, err error) {
	s.Trust, err = entriesTrust(ctx, d, tool)
	return s, err
}

// groupRow is a group of entries with the same value in a field.
type groupRow struct {
	statsRow

	Number *float64 `db:"group_number"`
	Text   *string  `db:"group_text"`
	Bool   *int     `db:"group_bool"`
}

// value is what the entries of the group have in common, as JSON; null where it is null, missing, a list or an object.
func (r *groupRow) value() json.RawMessage {
	switch {
	case r.Number != nil:
		return jsonbody.Encode(*r.Number)
	case r.Text != nil:
		return jsonbody.Encode(*r.Text)
	case r.Bool != nil:
		return jsonbody.Encode(*r.Bool == 1)
	}
	return json.RawMessage("null")
}

// StatsByField computes the statistics for each value of a field, the largest group first: limit of them at most.
func (d *Data) StatsByField(ctx context.Context, f userdata.StatsFilter, by userdata.Field, limit int) ([]userdata.Stats, error) {
	q := sqldb.NewQuery("")
	fields := d.dialect.JSONFields(q)
	kind, value := fields.TypeAndValue(by)
	group := d.dialect.Typed("kind", "value")
	number, counted := "CAST(NULL AS DOUBLE PRECISION)", ""
	if f.Field != nil {
		number, counted = fields.Of(f.Field).Number, " WHERE number IS NOT NULL"
	}
	q.Add("WITH read AS MATERIALIZED (SELECT at, id, " + kind + " AS kind, " + value + " AS value, " + number + " AS number FROM entries")
	ctx = ofTool(ctx, d, q, fields, f.ToolID, f.From, f.Until, f.Conditions)
	q.Add("), numbers AS (SELECT at, id, number, " + group.Number + " AS group_number, " + group.Text + " AS group_text, " + group.Bool +
		" AS group_bool FROM read" + counted + ")")
	if f.Field == nil {
		q.Add(" SELECT group_number, group_text, group_bool, COUNT(*) AS n FROM numbers GROUP BY group_number, group_text, group_bool")
	} else {
		// The latest number of each group comes first among its rows. AVG: see Stats.
		q.Add(", latest AS (SELECT numbers.*, FIRST_VALUE(number) OVER (PARTITION BY group_number, group_text, group_bool " +
			"ORDER BY at DESC, id DESC) AS newest FROM numbers) " +
			"SELECT group_number, group_text, group_bool, COUNT(*) AS n, MIN(number) AS low, MAX(number) AS high, " +
			"SUM(number) / COUNT(*) AS mean, SUM(number) AS total, MAX(newest) AS latest FROM latest GROUP BY group_number, group_text, group_bool")
	}
	q.Add(" ORDER BY n DESC, group_number IS NULL, group_number, group_text IS NULL, group_text" + d.dialect.Binary + ", group_bool")
	q.Add(" LIMIT ?", limit)
	var rows []groupRow
	if err := d.r.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, fmt.Errorf("compute the statistics of groups: %w", err)
	}
	least, err := entriesTrust(ctx, d, f.ToolID)
	if err != nil {
		return nil, err
	}
	out := make([]userdata.Stats, len(rows))
	for i := range rows {
		out[i] = rows[i].stats()
		out[i].Group, out[i].Trust = rows[i].value(), least
	}
	return out, nil
}
