package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxBuckets bounds the days, weeks or months of one statistic.
const maxBuckets = 400

// Stats computes statistics of a numeric field of a tool's entries. Groups are the days, weeks or months of the
// workspace's calendar, or the values of a field.
func (r *Rules) Stats(ctx context.Context, store Store, env Env, q userdata.StatsQuery) (*userdata.StatsResult, error) {
	tool, t, err := r.typedTool(ctx, store, q.ToolID)
	if err != nil {
		return nil, err
	}
	filter := userdata.StatsFilter{ToolID: tool.ID}
	schema := entrySchema(t)
	if filter.Conditions, err = schema.conditions(q.Where); err != nil {
		return nil, err
	}
	by, err := schema.groupField(q.GroupBy)
	if err != nil {
		return nil, err
	}
	field, err := schema.statsField(t, q.Field, by != nil)
	if err != nil {
		return nil, err
	}
	filter.Field = field
	dates, err := env.Calendar()
	if err != nil {
		return nil, err
	}
	var span calendar.Span
	if !q.Period.IsZero() {
		if span, err = env.Resolve(q.Period, dates); err != nil {
			return nil, domain.Below("/period", err)
		}
	}
	filter.From, filter.Until = span.From, span.Until
	result := &userdata.StatsResult{Field: strings.Join(field, ".")}
	if result.Total, err = store.Stats(ctx, filter); err != nil {
		return nil, fmt.Errorf("compute the statistics: %w", err)
	}
	switch {
	case by != nil:
		result.Groups, err = statsByField(ctx, store, filter, by)
	case q.GroupBy != "":
		result.Groups, err = statsByDate(ctx, store, filter, dates, q.GroupBy)
	}
	return result, err
}

// statsByField computes the statistics for each value of a field.
func statsByField(ctx context.Context, store Store, filter userdata.StatsFilter, by userdata.Field) ([]userdata.Stats, error) {
	groups, err := store.StatsByField(ctx, filter, by, maxBuckets+1)
	if err != nil {
		return nil, fmt.Errorf("compute the statistics of groups: %w", err)
	}
	if len(groups) > maxBuckets {
		return nil, domain.Invalid("/group_by", "too_many",
			"The field %s has more than %d different values. Narrow the entries with where, or with a period.", strings.Join(by, "."), maxBuckets)
	}
	return groups, nil
}

// statsByDate computes the statistics for each day, week or month that has entries.
func statsByDate(ctx context.Context, store Store, filter userdata.StatsFilter, dates calendar.Calendar, unit string) (
	[]userdata.Stats, error,
) {
	span, err := entriesSpan(ctx, store, &filter)
	if err != nil {
		return nil, err
	}
	groups, err := buckets(dates, span, unit)
	if err != nil {
		return nil, err
	}
	var all []userdata.Stats
	for _, g := range groups {
		filter.From, filter.Until = g.From, g.Until
		s, err := store.Stats(ctx, filter)
		if err != nil {
			return nil, fmt.Errorf("compute the statistics of a group: %w", err)
		}
		if s.Count > 0 {
			s.Bucket = g.name
			all = append(all, s)
		}
	}
	return all, nil
}

// groupField is the field to group by, nil for a unit of time. "data.day" is a field that is called like a unit.
func (e *entryFields) groupField(by string) (userdata.Field, error) {
	if by == "" || units[by] != "" {
		return nil, nil //nolint:nilnil // no field
	}
	name := by
	if inner, ok := strings.CutPrefix(by, "data."); ok && units[inner] != "" {
		name = inner
	}
	field, _, err := e.find("/group_by", name)
	if unknown, ok := errors.AsType[*domain.Error](err); ok {
		return nil, domain.Invalid("/group_by", "unknown", "group_by is day, week, month or a field. %s", unknown.Message)
	}
	return field, err
}

// statsField is the field whose numbers are computed. Groups by a field may do without: their entries are counted.
func (e *entryFields) statsField(t *userdata.ToolType, field string, optional bool) (userdata.Field, error) {
	if field == "" && optional {
		return nil, nil //nolint:nilnil // no field
	}
	if path, types, err := e.find("/field", field); err == nil && (types["number"] || len(types) == 0) {
		return path, nil
	}
	name, err := statsField(t, field)
	if err != nil {
		return nil, err
	}
	return userdata.Field{name}, nil
}

func statsField(t *userdata.ToolType, field string) (string, error) {
	fields := NumericFields(t)
	switch {
	case field == "" && len(fields) == 1:
		return fields[0], nil
	case len(fields) == 0:
		return "", domain.Invalid("/tool_id", "no_numbers",
			"Tools of the type %s hold no numbers: there are no statistics of them.", jsonbody.Quote(t.ID))
	case field == "":
		return "", domain.Invalid("/field", "required", "Say which field: %s.", strings.Join(fields, ", "))
	case !slices.Contains(fields, field):
		return "", domain.Invalid("/field", "unknown", "There is no numeric field %s. There are: %s.",
			jsonbody.Quote(field), strings.Join(fields, ", "))
	}
	return field, nil
}

// entriesSpan narrows the period of a filter to where there are entries, so that one without bounds can be grouped.
// Without entries it is empty.
func entriesSpan(ctx context.Context, store Entries, of *userdata.StatsFilter) (calendar.Span, error) {
	ends := [2]time.Time{}
	for i, descending := range []bool{false, true} {
		filter := userdata.EntryFilter{
			ToolID: of.ToolID, From: of.From, Until: of.Until, Conditions: of.Conditions, Limit: 1, Descending: descending,
		}
		entries, _, err := store.Entries(ctx, filter)
		if err != nil {
			return calendar.Span{}, fmt.Errorf("read the first and last entry: %w", err)
		}
		if len(entries) == 0 {
			return calendar.Span{}, nil
		}
		ends[i] = entries[0].Timestamp
	}
	until := ends[1].Add(time.Microsecond) // the last one is included
	return calendar.Span{From: ends[0], Until: until}, nil
}

type bucket struct {
	calendar.Span
	name string
}

// units are the periods by which statistics can be grouped, as the current one of each.
var units = map[string]string{"day": "0_DAY", "week": "0_WEEK", "month": "0_MONTH"}

// buckets cuts a span into days, weeks or months.
func buckets(dates calendar.Calendar, span calendar.Span, by string) ([]bucket, error) {
	var all []bucket
	unit := units[by]
	for at := span.From; at.Before(span.Until); {
		group, err := calendar.Period{Relative: unit}.Resolve(at, dates)
		if err != nil {
			return nil, fmt.Errorf("cut the period: %w", err)
		}
		if len(all) == maxBuckets {
			return nil, domain.Invalid("/period", "too_long",
				"That makes more than %d groups. Ask for a shorter period, or group by week or month.", maxBuckets)
		}
		y, m, d := dates.Day(group.From)
		name := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		next := group.Until
		if group.From.Before(span.From) {
			group.From = span.From
		}
		if group.Until.After(span.Until) {
			group.Until = span.Until
		}
		all = append(all, bucket{group, name})
		at = next
	}
	return all, nil
}
