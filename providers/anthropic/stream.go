package anthropic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/fermata-dev/fermata/providers"
)

const (
	maxLine   = 1 << 20  // bytes of one line of a stream
	maxAnswer = 4 << 20  // bytes of text, thoughts and arguments together
	maxWire   = 64 << 20 // bytes of a whole response
	maxCalls  = 128
	maxBlocks = 8 * maxCalls
)

var errTooLarge = errors.New("answer too large")

// guard ends a response that exceeds the limits before the decoder buffers it.
type guard struct {
	from        io.Reader
	line, total int
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	g.total += n
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		g.line = n - i - 1
	} else {
		g.line += n
	}
	if g.line > maxLine || g.total > maxWire {
		return 0, errTooLarge
	}
	return n, err
}

// event is one event of a stream, with the fields that are used.
type event struct {
	Type         string          `json:"type"`
	Index        int             `json:"index"`
	Message      *message        `json:"message"`       // message_start
	ContentBlock json.RawMessage `json:"content_block"` // content_block_start
	Delta        delta           `json:"delta"`
	Usage        usage           `json:"usage"` // message_delta
}

// message is a whole answer, or its beginning.
type message struct {
	Type       string            `json:"type"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      usage             `json:"usage"`
	Error      json.RawMessage   `json:"error"` // instead of all the others
}

type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	PartialJSON string `json:"partial_json"`
	Thinking    quoted `json:"thinking"`
	Signature   quoted `json:"signature"`
	StopReason  string `json:"stop_reason"` // message_delta
}

// read reads a response in any form: not every server responds in the requested one.
func (a *answer) read(response *http.Response, body io.Reader) error {
	buffered := bufio.NewReaderSize(&guard{from: body}, 16<<10)
	first, err := firstByte(buffered)
	switch {
	case errors.Is(err, io.EOF):
		return brokeOff()
	case err != nil:
		return err
	case first == '{':
		return a.readWhole(buffered)
	case first == '<' || first == '[':
		page, _ := io.ReadAll(io.LimitReader(buffered, maxLine)) // a sample is enough
		return providers.Errorf(providers.ClassInvalidRequest,
			"something else than an answer came; is the base URL right? It says: %s", a.sample(page))
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{buffered, response.Body}
	return a.readStream(ssestream.NewDecoder(response))
}

// firstByte is the first byte that is neither white space nor a byte order mark; it stays to be
// read.
func firstByte(r *bufio.Reader) (byte, error) {
	if mark, _ := r.Peek(1); bytes.HasPrefix(providers.ByteOrderMark, mark) && len(mark) > 0 {
		if mark, _ = r.Peek(len(providers.ByteOrderMark)); bytes.Equal(mark, providers.ByteOrderMark) {
			_, _ = r.Discard(len(mark)) // what was peeked is there
		}
	}
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, r.UnreadByte()
		}
	}
}

// readStream reads events up to message_stop. Any other end is an error.
func (a *answer) readStream(decoder ssestream.Decoder) error {
	for decoder.Next() {
		data := bytes.TrimSpace(decoder.Event().Data)
		if decoder.Event().Type == "error" {
			return providers.ParseFailure(data).Error(0, a.secret)
		}
		if !providers.IsObject(data) {
			continue
		}
		switch err := a.take(data); {
		case err != nil && a.whole():
			return nil
		case err != nil || a.stopped:
			return err
		case a.whole():
			a.watch.Ending(true)
		}
	}
	err := decoder.Err()
	switch {
	case a.whole() && !errors.Is(err, errTooLarge):
		return nil // some proxies leave the last event out, or the stream open
	case err != nil:
		return err
	}
	return brokeOff()
}

// whole reports whether the finish reason is known and no block is open.
func (a *answer) whole() bool {
	return a.stop != "" && !slices.ContainsFunc(a.blocks, func(b *block) bool { return !b.closed })
}

// readWhole reads an answer that was not streamed: some proxies do not stream.
func (a *answer) readWhole(r io.Reader) error {
	all, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var m message
	switch err := json.Unmarshal(all, &m); {
	case !json.Valid(all):
		return brokeOff()
	case len(m.Error) > 0:
		return providers.ParseFailure(all).Error(0, a.secret)
	case err != nil || m.Type != "message":
		return providers.Errorf(providers.ClassInvalidRequest, "this is no Anthropic Messages API: %s", a.sample(all))
	}
	a.start(&m)
	for i, raw := range m.Content {
		if err := a.open(i, raw); err != nil {
			return err
		}
		a.close(i)
	}
	a.stop, a.stopped = m.StopReason, true
	return nil
}

// take processes one event.
func (a *answer) take(data []byte) error {
	var e event
	if json.Unmarshal(data, &e) != nil && json.Unmarshal(providers.Lenient(data), &e) != nil {
		return providers.Errorf(providers.ClassNetwork, "the stream holds something that cannot be read: %s", a.sample(data))
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			a.start(e.Message)
		}
	case "content_block_start":
		return a.open(e.Index, e.ContentBlock)
	case "content_block_delta":
		return a.delta(e.Index, &e.Delta)
	case "content_block_stop":
		a.close(e.Index)
	case "message_delta":
		a.usage.merge(e.Usage)
		if providers.FinishOf(e.Delta.StopReason) != providers.FinishNone {
			a.stop = e.Delta.StopReason
		}
	case "message_stop":
		a.stopped = true
	case "error":
		return providers.ParseFailure(data).Error(0, a.secret)
	}
	return nil // pings, and what may be added one day
}

func (a *answer) sample(body []byte) string {
	return providers.PageSample([]byte(providers.Redact(string(body[:min(len(body), maxLine)]), a.secret)))
}
