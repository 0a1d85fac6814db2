package openai

import (
	"bytes"
	"errors"
	"io"

	"github.com/fermata-dev/fermata/providers"
)

const (
	maxLine   = 1 << 20 // bytes of one line of a stream
	maxAnswer = 4 << 20 // bytes of text, thoughts and arguments together
	maxWhole  = 3 * maxAnswer
	maxCalls  = 128
)

var errTooLarge = errors.New("answer too large")

// lines cuts a stream into lines with one buffer that grows up to maxLine.
type lines struct {
	from       io.Reader
	buf        []byte
	start, end int
	err        error
}

func (l *lines) reset(from io.Reader) {
	l.from, l.start, l.end, l.err = from, 0, 0, nil
	if l.buf == nil {
		l.buf = make([]byte, 8<<10)
	}
}

// next is the next line without its end. It is valid until the next call. The last
// line may lack its end; then comes the error that ended the stream (io.EOF).
func (l *lines) next() ([]byte, error) {
	searched := l.start
	for {
		if i := bytes.IndexByte(l.buf[searched:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : searched+i]
			l.start = searched + i + 1
			return bytes.TrimSuffix(line, []byte{'\r'}), nil
		}
		if l.err != nil {
			line := l.buf[l.start:l.end]
			l.start = l.end
			if len(line) > 0 {
				return line, nil
			}
			return nil, l.err
		}
		searched = l.end
		moved := l.start
		if err := l.fill(); err != nil {
			return nil, err
		}
		searched -= moved - l.start
	}
}

// fill reads more, after making room: by moving what is left to the front, and by
// growing when one line fills the whole buffer.
func (l *lines) fill() error {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		if len(l.buf) >= maxLine {
			return errTooLarge
		}
		l.buf = append(l.buf, make([]byte, min(len(l.buf), maxLine-len(l.buf)))...)
	}
	for range 100 {
		n, err := l.from.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return nil //nolint:nilerr // kept, and returned after the buffered data
		}
	}
	return io.ErrNoProgress
}

// first is the first byte of the stream that is neither white space nor a byte order mark, 0
// if there is none.
func (l *lines) first() (byte, error) {
	for l.end-l.start < len(providers.ByteOrderMark) && bytes.HasPrefix(providers.ByteOrderMark, l.buf[l.start:l.end]) && l.err == nil {
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
	if bytes.HasPrefix(l.buf[l.start:l.end], providers.ByteOrderMark) {
		l.start += len(providers.ByteOrderMark)
	}
	for {
		for ; l.start < l.end; l.start++ {
			if c := l.buf[l.start]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				return c, nil
			}
		}
		if l.err != nil {
			return 0, l.err
		}
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
}

// rest is all that is left, up to limit bytes.
func (l *lines) rest(limit int) ([]byte, error) {
	all := bytes.Clone(l.buf[l.start:l.end])
	if l.err == nil {
		more, err := io.ReadAll(io.LimitReader(l.from, int64(limit-len(all)+1)))
		if all = append(all, more...); err != nil {
			return all, err
		}
	} else if !errors.Is(l.err, io.EOF) {
		return all, l.err
	}
	if len(all) > limit {
		return nil, errTooLarge
	}
	return all, nil
}

// events reads Server-Sent Events from lines.
type events struct {
	lines lines
	name  string // of the event being read
	data  []byte
	held  []byte // a line that belongs to the next event
	has   bool
}

func (e *events) reset(from io.Reader) {
	e.lines.reset(from)
	e.name, e.data, e.held, e.has = "", e.data[:0], e.held[:0], false
}

// next returns the data and the name of the next event, valid until the next call. An event without
// its blank line at the end of the stream counts: completeness of the answer does not depend on it.
func (e *events) next() (name string, data []byte, err error) {
	e.name, e.data, e.has = "", e.data[:0], false
	if len(e.held) > 0 {
		e.data, e.held, e.has = append(e.data, e.held...), e.held[:0], true
	}
	for {
		line, err := e.lines.next()
		if errors.Is(err, io.EOF) && e.has {
			return e.name, e.data, nil
		}
		if err != nil {
			return "", nil, err
		}
		if len(line) == 0 {
			if e.has {
				return e.name, e.data, nil
			}
			e.name = ""
			continue
		}
		if e.line(line) {
			return e.name, e.data, nil
		}
		if len(e.data) > maxLine {
			return "", nil, errTooLarge
		}
	}
}

var (
	fieldData  = []byte("data:")
	fieldEvent = []byte("event:")
	doneMark   = []byte("[DONE]")
)

// isDone says whether data is the end mark, whatever spaces stand around it.
func isDone(data []byte) bool { return bytes.Equal(bytes.TrimSpace(data), doneMark) }

// line takes one line of an event; true: the event before it is complete, as some
// servers send no empty lines in between.
func (e *events) line(line []byte) bool {
	value, isData := bytes.CutPrefix(line, fieldData)
	switch {
	case isData:
		value = bytes.TrimPrefix(value, []byte{' '})
	case line[0] == '{': // an error put into the stream as it is
		value = line
	default:
		if name, ok := bytes.CutPrefix(line, fieldEvent); ok {
			e.name = string(bytes.TrimSpace(name))
		}
		return false // comments and other fields
	}
	if e.has && len(value) > 0 && (value[0] == '{' || isDone(value)) && bytes.HasSuffix(e.data, []byte{'}'}) {
		e.held = append(e.held[:0], value...)
		return true
	}
	if e.has {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
	e.has = true
	return false
}
