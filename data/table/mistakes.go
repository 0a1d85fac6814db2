package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxMistakes limits the reported mistakes of a file.
const maxMistakes = 100

// mistake is what is wrong in a line.
type mistake struct {
	line  int
	field domain.FieldError
}

// mistakes are the errors in a file, each with its line and column. They are added in any order and
// reported in the order of the lines.
type mistakes struct {
	found   []mistake
	refused int // how many of them the rules found
}

func (m *mistakes) add(line int, name, code, format string, args ...any) {
	pointer, place := fmt.Sprintf("/lines/%d", line), fmt.Sprintf("Line %d", line)
	if name != "" {
		pointer, place = pointer+"/"+jsonbody.Part(name), place+", column "+jsonbody.Quote(name)
	}
	field := domain.FieldError{Pointer: pointer, Code: code, Message: place + ": " + fmt.Sprintf(format, args...)}
	m.found = append(m.found, mistake{line, field})
}

// enough reports that no more mistakes are collected.
func (m *mistakes) enough() bool { return len(m.found) >= maxMistakes }

// error is nil if there are none.
func (m *mistakes) error() error {
	if len(m.found) == 0 {
		return nil
	}
	how := domain.Plural(len(m.found), "mistake was", "mistakes were")
	if m.enough() {
		how = fmt.Sprintf("%d mistakes and maybe more were", maxMistakes)
	}
	slices.SortStableFunc(m.found, func(a, b mistake) int { return cmp.Compare(a.line, b.line) })
	fields := make([]domain.FieldError, min(len(m.found), maxMistakes))
	for i := range fields {
		fields[i] = m.found[i].field
	}
	message := how + " found in the file. Nothing was stored. " + fields[0].Message
	return &domain.Error{Code: domain.CodeInvalid, Fields: fields, Message: message}
}

// Enough reports that no more mistakes are collected.
func (r *Reader) Enough() bool { return r.wrong.enough() }

// Err returns the mistakes that were found; nil if there are none.
func (r *Reader) Err() error { return r.wrong.error() }

// Refuse notes what the rules found wrong with a line, field by field; the lines come in
// their order, so that what is beyond the most is not among the first. Any other error
// comes back.
func (r *Reader) Refuse(line int, err error) error {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Code != domain.CodeInvalid {
		return err
	}
	for _, f := range known.Fields {
		if r.wrong.refused++; r.wrong.refused > maxMistakes {
			return nil
		}
		r.wrong.add(line, r.table.columnOf(f.Pointer), f.Code, "%s", f.Message)
	}
	return nil
}

// columnOf is the column of the value at a pointer into an entry.
func (t *Table) columnOf(pointer string) string {
	path, inData := strings.CutPrefix(pointer, "/data/")
	if !inData {
		return strings.TrimPrefix(strings.TrimPrefix(pointer, "/data"), "/")
	}
	token, _, _ := strings.Cut(path, "/")
	token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	for _, c := range t.columns {
		if c.field == token {
			return c.name
		}
	}
	if t.rest {
		return restColumn
	}
	return token
}
