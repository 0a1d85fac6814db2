package repository

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// EventsOfTypes lists events of some types in (after, to], in order: of one session ("": those of
// no session), or with a nil session of the whole workspace. scanned is how far the log was read.
func (s *EventStore) EventsOfTypes(ctx context.Context, workspace string, session *string, types []domain.LogType,
	after, to int64, size domain.PageSize,
) (events []*domain.LogEvent, scanned int64, err error) {
	// Rows without events of these types are not read.
	q := sqldb.NewQuery("SELECT "+eventTable.Columns()+" FROM events WHERE workspace_id = ? AND seq > ? AND seq - event_count < ?",
		workspace, after, to)
	if session != nil {
		q.Add(" AND session_id = ?", *session)
		if *session != "" {
			q.Add(" AND session_id <> ''")
		}
	}
	or := " AND ("
	for i := range sizeOf(len(types)) { // the number of distinct prepared statements stays small
		q.Add(or+"',' || types || ',' LIKE ?", "%,"+string(types[min(i, len(types)-1)])+",%")
		or = " OR "
	}
	q.Add(") ORDER BY seq")
	rows, last := 0, after
	events, more, err := sqldb.FillEach(ctx, s.db, sqldb.RoomFor(size), q, func(r *eventRow) ([]*domain.LogEvent, error) {
		all, err := r.events(after)
		rows, last = rows+1, r.Seq
		return slices.DeleteFunc(all, func(e *domain.LogEvent) bool { return e.Seq > to || !slices.Contains(types, e.Type) }), err
	}, func(e *domain.LogEvent) int { return len(e.SessionID) + len(e.Type) + len(e.Data) })
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("read the log for a webhook: %w", err)
	case more && len(events) > 0:
		return events, events[len(events)-1].Seq, nil
	case rows > size.Rows: // the page's rows are used up, but few of their events matched
		return events, min(last, to), nil
	}
	return events, to, nil
}

// sizeOf rounds up the number of types in a statement.
func sizeOf(n int) int {
	size := 4
	for size < n {
		size *= 2
	}
	return size
}
