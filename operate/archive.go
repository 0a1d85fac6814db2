package operate

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/internal/exactjson"
)

const (
	// format is the first thing that an archive says of itself.
	format = "fermata archive"
	// formatVersion counts the forms of an archive. The schema counts for itself.
	formatVersion = 1
	// longestLine bounds what a reader takes for one row.
	longestLine = 128 << 20
)

// header is the first line of an archive.
type header struct {
	Format    string `json:"format"`
	Version   int    `json:"version"`
	Scope     scope  `json:"scope"`
	Workspace string `json:"workspace,omitempty"`
	Schema    int64  `json:"schema"`
	MadeAt    string `json:"made_at"`
	MadeBy    string `json:"made_by"`
	// LeftOut says what is not in it, and why.
	LeftOut map[string]string `json:"left_out"`
}

// line is every other line: a row, or the end.
type line struct {
	Table string         `json:"table,omitempty"`
	Row   map[string]any `json:"row,omitempty"`
	End   *lastLine      `json:"end,omitempty"`
}

// lastLine is the last line of an archive: one without it is cut.
type lastLine struct {
	Rows map[string]int64 `json:"rows"`
	// Content is the hash of all rows, the same from whichever database they came.
	Content string `json:"content_sha256"`
	// Lines is the hash of all lines before this one.
	Lines string `json:"lines_sha256"`
}

// writer writes an archive.
type writer struct {
	out           *bufio.Writer
	lines, stated hash.Hash
	end           lastLine
}

func newWriter(out io.Writer, h *header) (*writer, error) {
	w := &writer{out: bufio.NewWriterSize(out, 1<<16), lines: sha256.New(), stated: sha256.New(), end: lastLine{Rows: map[string]int64{}}}
	return w, w.put(h)
}

func (w *writer) put(value any, also ...io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil { // with the end of the line
		return fmt.Errorf("encode a line: %w", err)
	}
	for _, to := range append(also, w.lines, w.out) {
		if _, err := to.Write(b.Bytes()); err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
	}
	return nil
}

func (w *writer) row(table string, row map[string]any) error {
	w.end.Rows[table]++
	return w.put(line{Table: table, Row: row}, w.stated)
}

func (w *writer) close() (*lastLine, error) {
	w.end.Content, w.end.Lines = hex.EncodeToString(w.stated.Sum(nil)), hex.EncodeToString(w.lines.Sum(nil))
	if err := w.put(line{End: &w.end}); err != nil {
		return nil, err
	}
	if err := w.out.Flush(); err != nil {
		return nil, fmt.Errorf("write the archive: %w", err)
	}
	return &w.end, nil
}

// reader reads an archive, a line at a time.
type reader struct {
	header
	in    *bufio.Reader
	lines hash.Hash
	rows  map[string]int64
}

var (
	errCut     = errors.New("the archive is cut: its last line is missing (was the disk full, or the copy broken off?)")
	errChanged = errors.New("the archive is damaged or was edited: its rows are not those that its last line was written for")
)

func newReader(in io.Reader) (*reader, error) {
	r := &reader{in: bufio.NewReaderSize(in, 1<<16), lines: sha256.New(), rows: map[string]int64{}}
	first, err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the archive is empty")
	}
	if err != nil {
		return nil, err
	}
	if exactjson.Unmarshal(first, &r.header) != nil || r.Format != format {
		if bytes.HasPrefix(first, []byte("SQLite format 3")) {
			return nil, errors.New("this is a SQLite database and no archive: a backup is put in place by fermata restore, with SQLite")
		}
		return nil, errors.New("this is no archive of Fermata's (fermata export writes one)")
	}
	if r.Version > formatVersion {
		return nil, fmt.Errorf("the archive was made by a newer Fermata (form %d; this one reads up to %d): use that version or a later one",
			r.Version, formatVersion)
	}
	return r, nil
}

// next reads a line, which ends with a line feed.
func (r *reader) next() ([]byte, error) {
	var all []byte
	for {
		part, err := r.in.ReadSlice('\n')
		all = append(all, part...)
		switch {
		case len(all) > longestLine:
			return nil, fmt.Errorf("a line of the archive is longer than %d bytes", longestLine)
		case err == nil:
			r.lines.Write(all)
			return all, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(all) > 0:
			return nil, errCut
		default:
			return nil, err
		}
	}
}

// row reads the next row; nil at a good end.
func (r *reader) row() (table string, row map[string]any, err error) {
	before := hex.EncodeToString(r.lines.Sum(nil))
	text, err := r.next()
	if errors.Is(err, io.EOF) {
		return "", nil, errCut
	}
	if err != nil {
		return "", nil, err
	}
	var l struct {
		Table string          `json:"table"`
		Row   json.RawMessage `json:"row"`
		End   *lastLine       `json:"end"`
	}
	if err := exactjson.Closed(text, &l); err != nil {
		return "", nil, fmt.Errorf("%w (%w)", errChanged, err)
	}
	if l.End == nil {
		if row, err = exactjson.Object(l.Row); err != nil {
			return "", nil, fmt.Errorf("%w (%w)", errChanged, err)
		}
		r.rows[l.Table]++
		return l.Table, row, nil
	}
	if l.End.Lines != before || !sameCounts(l.End.Rows, r.rows) {
		return "", nil, errChanged
	}
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		return "", nil, errors.New("there is more behind the archive's last line")
	}
	return "", nil, nil
}

func sameCounts(a, b map[string]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for name, n := range a {
		if b[name] != n {
			return false
		}
	}
	return true
}

// text is a text as JSON can hold it byte for byte.
func text(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return encoded([]byte(s))
}

const asBase64 = "base64"

func encoded(b []byte) any { return map[string]string{asBase64: base64.StdEncoding.EncodeToString(b)} }

// decoded is the other way of both.
func decoded(value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return []byte(v), nil
	case map[string]any:
		if s, ok := v[asBase64].(string); ok && len(v) == 1 {
			return base64.StdEncoding.DecodeString(s)
		}
	}
	return nil, fmt.Errorf("a text was expected, not %T", value)
}

// isArchive says whether a file begins as our archives do.
func isArchive(path string) bool { return scopeOf(path) != "" }

// holdsInstallation says whether a file is the archive of a whole installation.
func holdsInstallation(path string) bool { return scopeOf(path) == ofInstallation }

// scopeOf is what an archive is of; "" if the file is none.
func scopeOf(path string) scope {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	r, err := newReader(f)
	if err != nil {
		return ""
	}
	if r.Scope != ofInstallation {
		return ofWorkspace
	}
	return r.Scope
}
