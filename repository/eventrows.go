package repository

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// eventRow holds consecutive events of one change that belong to the same session, or to none: a
// round has two or three such rows. Seq and SessionSeq are those of the last event.
type eventRow struct {
	WorkspaceID string      `db:"workspace_id"`
	Seq         int64       `db:"seq"`
	Count       int64       `db:"event_count"`
	SessionID   string      `db:"session_id"`
	SessionSeq  int64       `db:"session_seq"`
	Types       string      `db:"types"` // comma-separated
	At          sqldb.Stamp `db:"at"`
	ChangeID    string      `db:"change_id,write"`
	Packed      []byte      `db:"packed"` // the data of all events
	Data        string      `db:"data"`   // the data of a row's only event, in rows from before packing
}

var eventTable = sqldb.NewTable[eventRow]("events")

// Limits of a row, so that reading or pruning one event does not cost much for the others.
const (
	maxEventsInRow = 32
	maxBytesInRow  = 32 << 10
)

// eventRows groups a change's events into rows, in order.
func eventRows(events []*domain.LogEvent, change string) ([]eventRow, error) {
	var rows []eventRow
	for len(events) > 0 {
		n := together(events)
		row, err := eventRowOf(events[:n], change)
		if err != nil {
			return nil, err
		}
		rows, events = append(rows, row), events[n:]
	}
	return rows, nil
}

// together returns how many of the first events share a row.
func together(events []*domain.LogEvent) int {
	n, size := 1, len(events[0].Data)
	for n < min(len(events), maxEventsInRow) {
		e := events[n]
		size += len(e.Data)
		if e.SessionID != events[0].SessionID || !e.At.Equal(events[0].At) || size > maxBytesInRow {
			break
		}
		n++
	}
	return n
}

func eventRowOf(events []*domain.LogEvent, change string) (eventRow, error) {
	types, data := make([]string, len(events)), make([][]byte, len(events))
	for i, e := range events {
		types[i], data[i] = string(e.Type), e.Data
	}
	packed, err := pack(data)
	if err != nil {
		return eventRow{}, err
	}
	last := events[len(events)-1]
	return eventRow{
		WorkspaceID: last.WorkspaceID, Seq: last.Seq, Count: int64(len(events)), SessionID: last.SessionID, SessionSeq: last.SessionSeq,
		Types: strings.Join(types, ","), At: sqldb.At(last.At), ChangeID: change, Packed: packed,
	}, nil
}

// events returns the row's events after a number.
func (r *eventRow) events(after int64) ([]*domain.LogEvent, error) {
	data := [][]byte{[]byte(r.Data)}
	if r.Packed != nil {
		var err error
		if data, err = unpack(r.Packed); err != nil {
			return nil, fmt.Errorf("read the events up to %d: %w", r.Seq, err)
		}
	}
	types := strings.Split(r.Types, ",")
	if len(types) != len(data) || len(data) != int(r.Count) {
		return nil, fmt.Errorf("read the events up to %d: %d of %d are there", r.Seq, len(data), r.Count)
	}
	out := make([]*domain.LogEvent, 0, len(data))
	for i := range data {
		before := int64(len(data) - 1 - i) // distance from the last event
		e := &domain.LogEvent{
			Seq: r.Seq - before, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, Type: domain.LogType(types[i]), At: r.At.Time,
			Data: data[i],
		}
		if r.SessionID != "" {
			e.SessionSeq = r.SessionSeq - before
		}
		if e.Seq > after {
			out = append(out, e)
		}
	}
	return out, nil
}
