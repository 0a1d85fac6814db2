package trust

import (
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Level is how far a row can be relied on.
type Level string

const (
	// own: written without external content in the prompt, or before levels were recorded.
	own Level = ""
	// person: written or confirmed by a person.
	person Level = "person"
	// Outside: external content was in the prompt of a round that wrote it, or another installation wrote it.
	Outside Level = "outside"
)

// String is the level for clients.
func (l Level) String() string {
	if l == own {
		return "own"
	}
	return string(l)
}

// Record is the trust of a row. Its zero value is that of the workspace's own data.
type Record struct {
	Level Level
	Detail
}

// Detail is what is known beside the level.
type Detail struct {
	// From are the first different sources of the external content, Fields the fields that may contain it, as paths like
	// data/note. Both are empty unless the level is Outside; no Fields: all of them.
	From   []domain.Provenance `json:"from,omitempty"`
	Fields []string            `json:"fields,omitempty"`
	// ConfirmedBy is the person or the key that confirmed the row, ConfirmedAt when; empty: no one did since it was last
	// written with external content.
	ConfirmedBy string     `json:"confirmed_by,omitempty"`
	ConfirmedAt *time.Time `json:"confirmed_at,omitempty"`
}

// Of is the record as far as these fields are concerned.
func (r Record) Of(fields ...string) Record {
	shown := func(field string) bool { return slices.Contains(fields, field) }
	if r.Level == Outside && len(r.Fields) > 0 && !slices.ContainsFunc(r.Fields, shown) {
		return Record{}
	}
	return r
}

// Copied is the record after one field took the text of another.
func (r Record) Copied(from, to string) Record {
	switch {
	case r.Level != Outside || len(r.Fields) == 0:
		return r
	case slices.Contains(r.Fields, from):
		r.Fields = bounded(append(slices.Clone(r.Fields), to))
		return r
	}
	return r.without([]string{to}, r.Level)
}

const (
	// maxFrom bounds the sources that are named, as in a taint.
	maxFrom = 4
	// maxFields bounds the fields of a row that are recorded separately.
	maxFields = 64
)

// Confirm makes all of a row a person's.
func Confirm(by string, at time.Time) Record {
	return Record{Level: person, Detail: Detail{ConfirmedBy: by, ConfirmedAt: &at}}
}

// elsewhere is the source of a row of which none is recorded.
var elsewhere = []domain.Provenance{{Origin: domain.OriginFile, Source: "another installation"}}

// Read returns the sources of the external content in rows that are read: the first different ones.
func Read(rows ...Record) []domain.Provenance {
	var all []domain.Provenance
	for i := range rows {
		if rows[i].Level != Outside {
			continue
		}
		from := rows[i].From
		if len(from) == 0 {
			from = elsewhere
		}
		for _, p := range from {
			p.Role = domain.WordsStored
			all = add(all, p)
		}
	}
	return all
}

// add appends a source unless it is there or there are enough.
func add(all []domain.Provenance, p domain.Provenance) []domain.Provenance {
	if len(all) >= maxFrom || slices.Contains(all, p) {
		return all
	}
	return append(all, p)
}

// One is the source of a text that was made of rows with these sources; nil: none of them is external.
func One(sources []domain.Provenance) *domain.Provenance {
	if len(sources) == 0 {
		return nil
	}
	names := make([]string, 0, len(sources))
	for _, p := range sources {
		if !slices.Contains(names, p.Source) {
			names = append(names, p.Source)
		}
	}
	one := domain.From(sources[0].Origin, strings.Join(names, ", "))
	one.Role = domain.WordsStored
	return one
}
