package trust

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Writer is the author of a change, as far as trust is concerned. Its zero value writes the workspace's own data.
type Writer struct {
	level Level
	from  []domain.Provenance
}

// ByPerson is a person or a program that changes data through the API.
func ByPerson() Writer { return Writer{level: person} }

// BySession is the AI of a session with a taint.
func BySession(t *domain.Taint) Writer {
	if t == nil {
		return Writer{}
	}
	w := Writer{level: Outside}
	for _, p := range t.Sources {
		w.from = add(w.from, *domain.From(p.Origin, p.Name()))
	}
	return w
}

// From is the source of what the writer wrote, to the session that reads it; nil: it has no external content.
func (w Writer) From() *domain.Provenance {
	return One(Read(Record{Level: w.level, Detail: Detail{From: w.from}}))
}

// Created is the record of a new row. fields are those that can contain text, as a struct or as JSON.
func (w Writer) Created(fields any) Record {
	r := Record{Level: w.level}
	if w.level == Outside {
		r.From, r.Fields = slices.Clone(w.from), paths(fields, true)
	}
	return r
}

// Changed is the record of a row in which the writer set these fields. The row has the least trust of the last writers of its
// fields: those that the writer did not set stay as they were.
func (w Writer) Changed(r Record, fields any) Record {
	set := paths(fields, w.level == Outside)
	if w.level != Outside {
		return r.without(set, w.level)
	}
	if len(set) == 0 {
		return r
	}
	if r.Level != Outside {
		return Record{Level: Outside, Detail: Detail{From: slices.Clone(w.from), Fields: set}}
	}
	r.From = slices.Clone(r.From)
	for _, p := range w.from {
		r.From = add(r.From, p)
	}
	if len(r.Fields) > 0 {
		r.Fields = bounded(slices.Concat(r.Fields, set))
	}
	return r
}

// without is the record after fields were set without external content.
func (r Record) without(set []string, by Level) Record {
	switch {
	case r.Level == person && by != person:
		return Record{}
	case r.Level != Outside || len(r.Fields) == 0:
		return r
	}
	r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(field string) bool {
		return slices.ContainsFunc(set, func(s string) bool { return field == s || strings.HasPrefix(field, s+"/") })
	})
	if len(r.Fields) == 0 {
		return Record{}
	}
	return r
}

// paths are the names of fields, and below an object those of its members, as data/note. With texts only, fields with a number
// or a truth value are left out, and so are empty ones. A member counts whatever its value is: its name is a text.
func paths(fields any, texts bool) []string {
	var given map[string]json.RawMessage
	body, err := json.Marshal(fields)
	if err != nil || json.Unmarshal(body, &given) != nil {
		return nil
	}
	var all []string
	for name, value := range given {
		var members map[string]json.RawMessage
		switch {
		case texts && !mayHoldText(value):
		case bytes.HasPrefix(value, []byte("{")) && json.Unmarshal(value, &members) == nil && len(members) > 0 && len(members) <= maxFields:
			for member := range members {
				all = append(all, name+"/"+member)
			}
		default:
			all = append(all, name)
		}
	}
	return bounded(all)
}

// mayHoldText reports whether a JSON value is a text, a list or an object, and not empty.
func mayHoldText(value json.RawMessage) bool {
	switch string(value) {
	case `""`, "{}", "[]":
		return false
	}
	return len(value) > 0 && strings.ContainsRune(`"{[`, rune(value[0]))
}

// bounded sorts paths. If there are too many, those below a field become the field.
func bounded(all []string) []string {
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) <= maxFields {
		return all
	}
	for i := range all {
		all[i], _, _ = strings.Cut(all[i], "/")
	}
	return slices.Compact(all)
}
