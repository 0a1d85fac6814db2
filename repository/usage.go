package repository

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type usageRow struct {
	Key        string   `db:"key"`
	Label      string   `db:"label"`
	Calls      int64    `db:"calls"`
	Errors     int64    `db:"errors"`
	Unpriced   int64    `db:"unpriced"`
	Input      int64    `db:"input_tokens"`
	CacheRead  int64    `db:"cache_read_tokens"`
	CacheWrite int64    `db:"cache_write_tokens"`
	Output     int64    `db:"output_tokens"`
	Reasoning  int64    `db:"reasoning_tokens"`
	Total      int64    `db:"total"`
	Cost       *float64 `db:"cost"`
	Prompt     int64    `db:"prompt_tokens"`
	Reused     int64    `db:"prompt_reused"`
}

func (r *usageRow) row() reports.UsageRow {
	return reports.UsageRow{
		Key: r.Key, Label: r.Label, Calls: r.Calls, Errors: r.Errors, Unpriced: r.Unpriced,
		PromptTokens: r.Prompt, PromptReused: r.Reused,
		Usage: domain.Usage{
			InputTokens: r.Input, CacheReadTokens: r.CacheRead, CacheWriteTokens: r.CacheWrite,
			OutputTokens: r.Output, ReasoningTokens: r.Reasoning, Cost: r.Cost,
		},
	}
}

const (
	tokensOf   = "r.input_tokens + r.cache_read_tokens + r.cache_write_tokens + r.output_tokens"
	usageTotal = "CAST(SUM(" + tokensOf + ") AS BIGINT) AS total"
	// usageSums aggregates the usage of calls. PostgreSQL's sum of BIGINTs is NUMERIC, so each is
	// cast to what both databases return.
	usageSums = "COUNT(*) AS calls, " +
		"CAST(SUM(CASE WHEN r.outcome IN ('" + domain.OutcomeAnswered + "', '" + domain.OutcomeCut + "') THEN 0 ELSE 1 END) AS BIGINT) AS " +
		"errors, " +
		"CAST(SUM(CASE WHEN r.cost IS NULL AND " + tokensOf + " > 0 THEN 1 ELSE 0 END) AS BIGINT) AS unpriced, " +
		"CAST(SUM(r.input_tokens) AS BIGINT) AS input_tokens, CAST(SUM(r.cache_read_tokens) AS BIGINT) AS cache_read_tokens, " +
		"CAST(SUM(r.cache_write_tokens) AS BIGINT) AS cache_write_tokens, CAST(SUM(r.output_tokens) AS BIGINT) AS output_tokens, " +
		"CAST(SUM(r.reasoning_tokens) AS BIGINT) AS reasoning_tokens, SUM(r.cost) AS cost, " +
		"CAST(SUM(CASE WHEN r.prompt_rules > 0 THEN r.prompt_tokens ELSE 0 END) AS BIGINT) AS prompt_tokens, " +
		"CAST(SUM(r.prompt_reused) AS BIGINT) AS prompt_reused"
)

// usageKeys are the columns that calls can be grouped by.
var usageKeys = map[reports.UsageGroup]string{
	reports.UsageByModel: "r.model", reports.UsageByProvider: "r.provider_id", reports.UsageBySession: "r.session_id",
	reports.UsageByAutomation: "r.automation_id", reports.UsageByPurpose: "r.purpose", reports.UsageByType: "r.session_type",
	reports.UsageByUser: "r.payer",
}

// usageLabels name a group for people, if the named row still exists.
var usageLabels = map[reports.UsageGroup]string{
	reports.UsageByProvider:   "SELECT x.name FROM providers x WHERE x.workspace_id = $1 AND x.id = g.key",
	reports.UsageBySession:    "SELECT x.name FROM sessions x WHERE x.workspace_id = $1 AND x.id = g.key",
	reports.UsageByAutomation: "SELECT x.name FROM automations x WHERE x.workspace_id = $1 AND x.id = g.key",
}

// Usage sums the usage of a workspace's calls: by day, newest first; by anything else, largest
// first. The second result is the cursor of the next page.
func (s *RecordStore) Usage(ctx context.Context, workspace string, f reports.UsageFilter) ([]reports.UsageRow, string, error) {
	after, err := sqldb.ReadCursor(f.Cursor, string(f.GroupBy))
	if err != nil {
		return nil, "", err
	}
	var rows []usageRow
	limit := sqldb.PageSize(f.Limit)
	err = s.db.Read(ctx, func(r sqldb.Reader) error {
		w, err := transaction.WorkspaceIn(ctx, r, workspace, "")
		if err != nil {
			return err
		}
		if f.GroupBy != reports.UsageByDay {
			rows, err = usageByKey(ctx, r, workspace, f, after, limit+1)
			return err
		}
		settings, err := s.settings.of(w.Settings)
		if err != nil {
			return err
		}
		dates, err := calendar.Of(&settings)
		if err != nil {
			return err
		}
		if f.Cursor != "" {
			f.Until = time.UnixMicro(after.Number).UTC()
		}
		rows, err = usageByDay(ctx, r, workspace, f, dates, limit+1)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	rows, next := sqldb.CutPage(rows, limit, func(r *usageRow) sqldb.Cursor {
		return sqldb.Cursor{Number: r.Total, Name: r.Key, ID: string(f.GroupBy)}
	})
	out := make([]reports.UsageRow, len(rows))
	for i := range rows {
		out[i] = rows[i].row()
	}
	return out, next, nil
}

// usageFilter adds the conditions of the filter.
func usageFilter(q *sqldb.Query, f reports.UsageFilter) *sqldb.Query {
	if f.SessionID != "" {
		q.Add(" AND r.session_id = ?", f.SessionID)
	}
	if !f.Since.IsZero() {
		q.Add(" AND r.ended_at >= ?", sqldb.At(f.Since))
	}
	if !f.Until.IsZero() {
		q.Add(" AND r.ended_at < ?", sqldb.At(f.Until))
	}
	return q
}

func usageByKey(ctx context.Context, r sqldb.Reader, workspace string, f reports.UsageFilter, after sqldb.Cursor, limit int) (
	[]usageRow, error,
) {
	key, label := usageKeys[f.GroupBy], usageLabels[f.GroupBy]
	if label == "" {
		label = "SELECT ''"
	}
	q := usageFilter(
		sqldb.NewQuery("SELECT g.*, COALESCE(("+label+"), '') AS label FROM (SELECT "+key+" AS key, "+usageSums+", "+usageTotal+
			" FROM roundtrips r WHERE r.workspace_id = ?", workspace),
		f,
	)
	q.Add(" GROUP BY " + key + ") g")
	if f.Cursor != "" {
		q.Add(" WHERE g.total < ? OR g.total = ? AND g.key > ?", after.Number, after.Number, after.Name)
	}
	q.Add(" ORDER BY g.total DESC, g.key LIMIT ?", limit)
	var rows []usageRow
	if err := r.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, fmt.Errorf("sum the usage: %w", err)
	}
	return rows, nil
}

// daysAtOnce is how many days one query sums. It is constant, so that there is one statement.
const daysAtOnce = 32

// usageByDay walks back from the newest call, over the days of the workspace's calendar; after a
// period without calls it jumps to the next call. A row's Total is where its day begins, which is
// where the next page continues.
func usageByDay(ctx context.Context, r sqldb.Reader, workspace string, f reports.UsageFilter, dates calendar.Calendar, limit int) (
	[]usageRow, error,
) {
	var rows []usageRow
	for len(rows) < limit {
		newest, err := newestCall(ctx, r, workspace, f)
		if err != nil || newest.IsZero() {
			return rows, err
		}
		spans := make([]calendar.Span, daysAtOnce)
		year, month, day := dates.Day(newest)
		for i := range spans {
			spans[i] = calendar.Span{From: dates.DayStart(year, month, day-i), Until: dates.DayStart(year, month, day-i+1)}
		}
		found, err := usageOfDays(ctx, r, workspace, f, spans)
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			y, m, d := dates.Day(time.UnixMicro(row.Total))
			row.Key = fmt.Sprintf("%04d-%02d-%02d", y, m, d)
			rows = append(rows, row)
		}
		f.Until = spans[daysAtOnce-1].From
	}
	return rows[:limit], nil
}

// newestCall returns when the latest call that matches the filter ended.
func newestCall(ctx context.Context, r sqldb.Reader, workspace string, f reports.UsageFilter) (time.Time, error) {
	q := usageFilter(sqldb.NewQuery("SELECT MAX(r.ended_at) FROM roundtrips r WHERE r.workspace_id = ?", workspace), f)
	var newest sqldb.Stamp
	if err := r.Get(ctx, &newest, q.Text(), q.Args()...); err != nil {
		return time.Time{}, fmt.Errorf("find the newest call: %w", err)
	}
	return newest.Time, nil
}

// usageOfDays sums the calls of each span that has some, newest first.
func usageOfDays(ctx context.Context, r sqldb.Reader, workspace string, f reports.UsageFilter, spans []calendar.Span) ([]usageRow, error) {
	bounds := make([]any, 0, 2*len(spans))
	for _, span := range spans {
		bounds = append(bounds, sqldb.At(span.From), sqldb.At(span.Until))
	}
	q := sqldb.NewQuery("WITH days (day_from, day_until) AS (VALUES "+
		strings.TrimSuffix(strings.Repeat("(CAST(? AS BIGINT), CAST(? AS BIGINT)), ", len(spans)), ", ")+") ", bounds...)
	q.Add("SELECT '' AS key, '' AS label, "+usageSums+", d.day_from AS total FROM days d "+
		"JOIN roundtrips r ON r.workspace_id = ? AND r.ended_at >= d.day_from AND r.ended_at < d.day_until WHERE 1 = 1", workspace)
	usageFilter(q, f)
	q.Add(" GROUP BY d.day_from ORDER BY d.day_from DESC")
	var rows []usageRow
	if err := r.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, fmt.Errorf("sum the usage by day: %w", err)
	}
	return rows, nil
}
