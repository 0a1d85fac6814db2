package table

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxMistakes bounds what is told about a file.
const maxMistakes = 100

// mistakes are what is wrong in a file, each with its line and column.
type mistakes struct{ fields []domain.FieldError }

func (m *mistakes) add(line int, name, code, format string, args ...any) {
	pointer, place := fmt.Sprintf("/lines/%d", line), fmt.Sprintf("Line %d", line)
	if name != "" {
		pointer, place = pointer+"/"+jsonbody.Part(name), place+", column "+jsonbody.Quote(name)
	}
	m.fields = append(m.fields, domain.FieldError{Pointer: pointer, Code: code, Message: place + ": " + fmt.Sprintf(format, args...)})
}

// enough says that no more mistakes are looked for.
func (m *mistakes) enough() bool { return len(m.fields) >= maxMistakes }

// error is nil if there are none.
func (m *mistakes) error() error {
	if len(m.fields) == 0 {
		return nil
	}
	how := domain.Plural(len(m.fields), "mistake was", "mistakes were")
	if m.enough() {
		m.fields = m.fields[:maxMistakes]
		how = fmt.Sprintf("%d mistakes and maybe more were", maxMistakes)
	}
	message := how + " found in the file. Nothing was stored. " + m.fields[0].Message
	return &domain.Error{Code: domain.CodeInvalid, Fields: m.fields, Message: message}
}

// Enough says that no more mistakes are looked for.
func (r *Reader) Enough() bool { return r.wrong.enough() }

// Err tells the mistakes that were found; nil if there are none.
func (r *Reader) Err() error { return r.wrong.error() }

// Refuse notes what the rules found wrong with the last line, field by field. Any other
// error comes back.
func (r *Reader) Refuse(err error) error {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Code != domain.CodeInvalid {
		return err
	}
	for _, f := range known.Fields {
		if r.wrong.enough() {
			return nil
		}
		r.wrong.add(r.line, r.table.columnOf(f.Pointer), f.Code, "%s", f.Message)
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
