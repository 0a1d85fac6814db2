package data

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxBuckets bounds the days, weeks or months of one statistic.
const maxBuckets = 400

// Stats returns statistics of a numeric field of a tool's entries. Groups are days, weeks or months of the
// workspace's calendar.
func (r *Rules) Stats(ctx context.Context, store Store, env Env, q domain.StatsQuery) (*domain.StatsResult, error) {
	tool, t, err := r.typedTool(ctx, store, q.ToolID)
	if err != nil {
		return nil, err
	}
	field, err := statsField(t, q.Field)
	if err != nil {
		return nil, err
	}
	calendar, err := env.Calendar()
	if err != nil {
		return nil, err
	}
	var span domain.Span
	if !q.Period.IsZero() {
		if span, err = env.Resolve(q.Period, calendar); err != nil {
			return nil, domain.Below("/period", err)
		}
	}
	result := &domain.StatsResult{Field: field}
	if result.Total, err = store.Stats(ctx, tool.ID, field, span.From, span.Until); err != nil {
		return nil, fmt.Errorf("compute the statistics: %w", err)
	}
	if q.GroupBy == "" {
		return result, nil
	}
	if span, err = entriesSpan(ctx, store, tool.ID, span); err != nil {
		return nil, err
	}
	groups, err := buckets(calendar, span, q.GroupBy)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		s, err := store.Stats(ctx, tool.ID, field, g.From, g.Until)
		if err != nil {
			return nil, fmt.Errorf("compute the statistics of a group: %w", err)
		}
		if s.Count > 0 {
			s.Bucket = g.name
			result.Groups = append(result.Groups, s)
		}
	}
	return result, nil
}

func statsField(t *domain.ToolType, field string) (string, error) {
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

// entriesSpan narrows a span to where there are entries, so that a period without
// bounds can be grouped. Without entries it is empty.
func entriesSpan(ctx context.Context, store Entries, toolID string, span domain.Span) (domain.Span, error) {
	ends := [2]time.Time{}
	for i, descending := range []bool{false, true} {
		filter := domain.EntryFilter{ToolID: toolID, From: span.From, Until: span.Until, Limit: 1, Descending: descending}
		entries, _, err := store.Entries(ctx, filter)
		if err != nil {
			return domain.Span{}, fmt.Errorf("read the first and last entry: %w", err)
		}
		if len(entries) == 0 {
			return domain.Span{}, nil
		}
		ends[i] = entries[0].Timestamp
	}
	until := ends[1].Add(time.Microsecond) // the last one is included
	return domain.Span{From: ends[0], Until: until}, nil
}

type bucket struct {
	domain.Span
	name string
}

// buckets cuts a span into days, weeks or months.
func buckets(calendar domain.Calendar, span domain.Span, by string) ([]bucket, error) {
	var all []bucket
	unit := map[string]string{"day": "0_DAY", "week": "0_WEEK", "month": "0_MONTH"}[by]
	if unit == "" {
		return nil, domain.Invalid("/group_by", "enum", "group_by is day, week or month.")
	}
	for at := span.From; at.Before(span.Until); {
		group, err := domain.Period{Relative: unit}.Resolve(at, calendar)
		if err != nil {
			return nil, fmt.Errorf("cut the period: %w", err)
		}
		if len(all) == maxBuckets {
			return nil, domain.Invalid("/period", "too_long",
				"That makes more than %d groups. Ask for a shorter period, or group by week or month.", maxBuckets)
		}
		y, m, d := calendar.Day(group.From)
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
