package mcp

import (
	"bufio"
	"bytes"
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
type events struct{ lines *bufio.Reader }

func newEvents(body io.Reader) *events {
	return &events{lines: bufio.NewReaderSize(body, 16<<10)}
}

// next gives the data of the next event that has any, and moves the cursor. An event with
// empty data only says where the stream begins.
func (s *events) next(at *cursor) ([]byte, error) {
	var data []byte
	name, read := "", 0
	for {
		line, err := s.line(MaxMessageBytes + 1<<10 - read)
		if err != nil {
			return nil, err // an event without its empty line is none
		}
		read += len(line)
		if len(line) == 0 {
			if len(data) > 1 && (name == "" || name == "message") {
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
			if len(value) <= maxCursor && !bytes.ContainsRune(value, 0) {
				at.id = string(value)
			}
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
				at.retry = min(time.Duration(ms)*time.Millisecond, maxRetryWait)
			}
		}
	}
}

// line reads up to a line's end, of either kind.
func (s *events) line(limit int) ([]byte, error) {
	var whole []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		if len(whole)+len(part) > limit {
			return nil, errTooLong
		}
		whole = append(whole, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimRight(whole, "\r\n"), nil
	}
}
