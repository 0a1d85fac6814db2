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

// cursor is a position in a stream, with the reconnection delay requested by the server.
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

// events reads server-sent events of bounded size.
type events struct{ lines lines }

func newEvents(body io.Reader) *events {
	return &events{lines{from: bufio.NewReaderSize(body, 16<<10)}}
}

// next returns the data of the next non-empty event and advances the cursor. An event with empty
// data only carries the stream's position. A last event without its terminating blank line counts
// if its data is complete.
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
				return bytes.TrimSpace(data), nil // reading on returns the same error
			}
			return nil, err
		}
	}
}

// isMessage reports whether events with this name carry protocol messages.
func isMessage(name string) bool { return name == "" || name == "message" }

// lines splits a stream at LF, CR LF or CR.
type lines struct {
	from    *bufio.Reader
	begun   bool
	afterCR bool // a following LF belongs to the previous line end
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// next returns a line without its line ending. With an error it returns the incomplete last line.
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
			return whole, err //nolint:wrapcheck // the callers add context
		}
		there, _ := l.from.Peek(l.from.Buffered()) // // cannot fail: it is buffered
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
