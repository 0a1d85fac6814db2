package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"
)

var errTooLong = errors.New("an event is longer than 8 MiB")

// cursor is where a stream stands, and how long the server wants us to wait before we ask
// for the rest.
type cursor struct {
	id      string
	retry   time.Duration
	resumed int
}

const (
	maxRetryWait = 30 * time.Second
	maxCursor    = 4 << 10
)

func (c *cursor) wait() time.Duration {
	if c.retry > 0 {
		return min(c.retry, maxRetryWait)
	}
	return time.Second
}

// events reads server-sent events, each within its bound.
type events struct{ lines lines }

func newEvents(body io.Reader) *events {
	return &events{lines{from: bufio.NewReaderSize(body, 16<<10)}}
}

// next gives the data of the next event that has any, and moves the cursor. An event with
// empty data only says where the stream begins. Where a stream ends without the empty line
// that ends an event, its last one counts if it is whole.
func (s *events) next(at *cursor) ([]byte, error) {
	var data []byte
	name, read := "", 0
	for {
		line, err := s.lines.next(MaxMessageBytes + 1<<10 - read)
		read += len(line)
		if err == nil && len(line) == 0 {
			if len(data) > 1 && isMessage(name) {
				return data[:len(data)-1], nil
			}
			data, name, read = nil, "", 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			data = append(append(data, value...), '\n')
		case "event":
			name = string(value)
		case "id":
			if err == nil && len(value) <= maxCursor && !bytes.ContainsRune(value, 0) {
				at.id = string(value)
			}
		case "retry":
			if ms, wrong := strconv.Atoi(string(value)); err == nil && wrong == nil && ms >= 0 {
				at.retry = min(time.Duration(ms)*time.Millisecond, maxRetryWait)
			}
		}
		if err != nil {
			if !errors.Is(err, errTooLong) && isMessage(name) && json.Valid(data) {
				return bytes.TrimSpace(data), nil // what follows it is the same error
			}
			return nil, err
		}
	}
}

// isMessage says whether events of a name are messages of the protocol.
func isMessage(name string) bool { return name == "" || name == "message" }

// lines splits a stream at any end of a line: LF, CR LF or CR.
type lines struct {
	from    *bufio.Reader
	begun   bool
	afterCR bool // an LF that comes next is part of the end of the line before
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// next gives a line without its end. With an error it gives what came of the last line.
func (l *lines) next(limit int) ([]byte, error) {
	line, err := l.read(limit)
	if !l.begun {
		line, l.begun = bytes.TrimPrefix(line, byteOrderMark), true
	}
	return line, err
}

func (l *lines) read(limit int) ([]byte, error) {
	var whole []byte
	for {
		if _, err := l.from.Peek(1); err != nil {
			return whole, err //nolint:wrapcheck // the callers have the words
		}
		there, _ := l.from.Peek(l.from.Buffered()) // it is there
		if l.afterCR && there[0] == '\n' {
			_, _ = l.from.Discard(1)
			l.afterCR = false
			continue
		}
		l.afterCR = false
		end := bytes.IndexAny(there, "\r\n")
		part := there
		if end >= 0 {
			part = there[:end]
		}
		if len(whole)+len(part) > limit {
			return nil, errTooLong
		}
		whole = append(whole, part...)
		if end >= 0 {
			l.afterCR = there[end] == '\r'
			_, _ = l.from.Discard(end + 1)
			return whole, nil
		}
		_, _ = l.from.Discard(len(part))
	}
}
