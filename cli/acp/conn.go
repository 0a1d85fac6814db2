package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxLine limits a message of the editor, in bytes.
const maxLine = 16 << 20

// message is a JSON-RPC message in either direction.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *failure        `json:"error"`
}

// conn is the connection to the editor: one message on each line, in both directions.
type conn struct {
	in *bufio.Reader

	mu      sync.Mutex // guards the fields below
	out     io.Writer
	last    int64 // id of the latest request to the editor
	pending map[string]chan *message
}

func newConn(in io.Reader, out io.Writer) *conn {
	return &conn{in: bufio.NewReaderSize(in, 64<<10), out: out, pending: map[string]chan *message{}}
}

// next returns the next valid message. Invalid ones are answered with an error.
func (c *conn) next() (*message, error) {
	for {
		line, err := c.readLine()
		switch {
		case errors.Is(err, errLineTooLong):
			c.replyError(nil, newFailure(codeRequest, "too_large", "A message can have at most %d bytes.", maxLine))
			continue
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case !json.Valid(line):
			c.replyError(nil, newFailure(codeParse, "malformed_json", "The line is not valid JSON."))
			continue
		}
		m := &message{}
		if err := json.Unmarshal(line, m); err != nil {
			c.replyError(nil, newFailure(codeRequest, "invalid", "The line is not a JSON-RPC message: an object with a method, or with a result or error."))
			continue
		}
		switch {
		case m.Method != "":
			return m, nil
		case m.Result != nil || m.Error != nil:
			c.deliver(m)
		default:
			c.replyError(m.ID, newFailure(codeRequest, "invalid", "The message has no method."))
		}
	}
}

// errLineTooLong is returned for a line over the limit, which was skipped.
var errLineTooLong = errors.New("the line is too long")

func (c *conn) readLine() ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := c.in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxLine; !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, fmt.Errorf("read from the editor: %w", err) // an incomplete line is ignored
		case long:
			return nil, errLineTooLong
		default:
			return line, nil
		}
	}
}

// deliver passes a response to the request that waits for it; late ones are dropped.
func (c *conn) deliver(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits := c.pending[string(m.ID)]; waits != nil {
		delete(c.pending, string(m.ID))
		waits <- m
	}
}

// write sends one message. A closed connection is detected when reading.
func (c *conn) write(m fields) {
	m["jsonrpc"] = "2.0"
	line := append(jsonbody.Encode(m), '\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(line)
}

func (c *conn) notify(method string, params any) { c.write(fields{"method": method, "params": params}) }

func (c *conn) reply(id json.RawMessage, result any) { c.write(fields{"id": id, "result": result}) }

// replyError answers with an error; id is nil for a message that could not be decoded.
func (c *conn) replyError(id json.RawMessage, f *failure) {
	if id == nil {
		id = json.RawMessage("null")
	}
	c.write(fields{"id": id, "error": f})
}

// request calls the editor and waits for its response. The call is cancelled at the editor when ctx
// ends.
func (c *conn) request(ctx context.Context, method string, params, out any) error {
	waits := make(chan *message, 1)
	c.mu.Lock()
	c.last++
	id := json.RawMessage(strconv.FormatInt(c.last, 10))
	c.pending[string(id)] = waits
	c.mu.Unlock()
	c.write(fields{"id": id, "method": method, "params": params})
	select {
	case m := <-waits:
		if m.Error != nil {
			return m.Error
		}
		if err := json.Unmarshal(m.Result, out); err != nil {
			return fmt.Errorf("decode the editor's response to %s: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, string(id))
		c.mu.Unlock()
		c.notify(methodCancelRequest, fields{"requestId": id})
		return context.Cause(ctx)
	}
}
