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

// maxLine bounds a message of the editor's.
const maxLine = 16 << 20

// message is one of JSON-RPC, of either side.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *failure        `json:"error"`
}

// conn is the line to the editor: a message on each line, both ways.
type conn struct {
	in *bufio.Reader

	mu      sync.Mutex // of what follows
	out     io.Writer
	last    int64 // number of the latest request to the editor
	pending map[string]chan *message
}

func newConn(in io.Reader, out io.Writer) *conn {
	return &conn{in: bufio.NewReaderSize(in, 64<<10), out: out, pending: map[string]chan *message{}}
}

// next is the next message that can be read. What cannot be is answered here.
func (c *conn) next() (*message, error) {
	for {
		line, err := c.readLine()
		switch {
		case errors.Is(err, errLineTooLong):
			c.replyError(nil, newFailure(codeRequest, "too_large", "A message has %d bytes at most.", maxLine))
			continue
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case !json.Valid(line):
			c.replyError(nil, newFailure(codeParse, "malformed_json", "The line is no JSON."))
			continue
		}
		m := &message{}
		if err := json.Unmarshal(line, m); err != nil {
			c.replyError(nil, newFailure(codeRequest, "invalid", "The line is no message of JSON-RPC: an object with method, or with an answer."))
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

// errLong: a line was longer than may be; it was passed over.
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
			return nil, fmt.Errorf("read from the editor: %w", err) // half a line is none
		case long:
			return nil, errLineTooLong
		default:
			return line, nil
		}
	}
}

// answered hands an answer to who waits for it; one that nobody waits for is late.
func (c *conn) deliver(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits := c.pending[string(m.ID)]; waits != nil {
		delete(c.pending, string(m.ID))
		waits <- m
	}
}

// write sends one message. An editor that is gone is found out where it is read from.
func (c *conn) write(m fields) {
	m["jsonrpc"] = "2.0"
	line := append(jsonbody.Encode(m), '\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(line)
}

func (c *conn) notify(method string, params any) { c.write(fields{"method": method, "params": params}) }

func (c *conn) reply(id json.RawMessage, result any) { c.write(fields{"id": id, "result": result}) }

// refuse answers with an error; nil is the id of what could not be read.
func (c *conn) replyError(id json.RawMessage, f *failure) {
	if id == nil {
		id = json.RawMessage("null")
	}
	c.write(fields{"id": id, "error": f})
}

// ask calls the editor and waits for its answer. One that is no longer wanted is taken back.
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
			return fmt.Errorf("read the editor's answer to %s: %w", method, err)
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
