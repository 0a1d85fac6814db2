package gemini

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/fermata-dev/fermata/providers"
)

const (
	maxAnswer = 4 << 20 // bytes of text, thoughts and arguments together; also of one event
	maxWhole  = 2 * maxAnswer
	maxCalls  = 128
)

var (
	errTooLarge = errors.New("answer too large")
	errBrokeOff = providers.Errorf(providers.ClassNetwork, "the answer broke off before its end")
)

// form is what a call expects back.
type form int

const (
	formWhole  form = iota // one object
	formStream             // events
	formModels             // a page of the list of models
)

// wire reads a vendor's answer and hands the library what it reads well: events of one
// line, bounded, without errors in them, with the text of arguments kept. What goes
// wrong is noted in the call; the library only sees the end, and writes no log.
type wire struct {
	call   *call
	closer io.Closer
	from   *bufio.Reader
	lines  *bufio.Scanner // of a stream of events
	secret string
	queue  []json.RawMessage // events still to be given out
	out    []byte
	begun  bool
	given  bool // something was given out
	done   bool
	odd    string // the first event that was no object
	ending bool   // the reason for the end is known
}

func newWire(c *call, body io.ReadCloser, secret string) *wire {
	var from io.Reader = body
	if c.watch != nil {
		from = c.watch.Reader(body)
	}
	return &wire{call: c, closer: body, from: bufio.NewReader(from), secret: secret}
}

// Close never fails: the library would write that to the log.
func (w *wire) Close() error {
	_ = w.closer.Close()
	return nil
}

func (w *wire) Read(p []byte) (int, error) {
	for len(w.out) == 0 {
		if w.done {
			return 0, io.EOF
		}
		if err := w.more(); err != nil {
			w.stop(err)
		}
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// stop notes why no more comes.
func (w *wire) stop(err error) {
	w.done = true
	if w.call.form == formModels && !w.given {
		// The library would log an answer without a list.
		w.out = []byte(`{"models":[]}`)
		if errors.Is(err, io.EOF) {
			err = errBrokeOff
		}
	}
	if !errors.Is(err, io.EOF) {
		w.call.err = err
	}
}

// more puts the next piece into out. io.EOF: that was all.
func (w *wire) more() error {
	if !w.begun {
		w.begun = true
		if err := w.begin(); err != nil {
			return err
		}
	}
	var event []byte
	switch {
	case len(w.queue) > 0:
		event, w.queue = w.queue[0], w.queue[1:]
	case w.lines == nil:
		return io.EOF
	default:
		var err error
		if event, err = w.event(); err != nil {
			return w.ended(err)
		}
		if !providers.IsObject(event) && !bytes.HasPrefix(bytes.TrimSpace(event), []byte{'['}) {
			w.odd = cmp.Or(w.odd, string(event[:min(len(event), maxOdd)]))
			return nil // what keeps the connection open
		}
	}
	clean, err := w.clean(event)
	if err != nil {
		return err
	}
	if w.call.form == formStream {
		clean = append(append([]byte("data: "), clean...), "\n\n"...)
	}
	w.out, w.given = clean, true
	return nil
}

// maxOdd bounds what is kept of an event that is no object.
const maxOdd = 200

// ended returns the error of a stream without usable events, with a sample.
func (w *wire) ended(err error) error {
	if w.odd == "" || w.given {
		return err
	}
	return notJSON([]byte(w.odd), w.secret)
}

func notJSON(data []byte, secret string) error {
	return providers.Errorf(providers.ClassNetwork, "the answer holds something that is not JSON: %s",
		providers.Redact(providers.PageSample(data), secret))
}

// begin looks at the first byte: what was asked for is not always what comes.
func (w *wire) begin() error {
	first, err := w.first()
	switch {
	case err != nil:
		return err
	case first == '<':
		page, _ := io.ReadAll(io.LimitReader(w.from, maxErrorBody)) // a sample is enough
		return providers.Errorf(providers.ClassInvalidRequest,
			"a web page came instead of an answer; is the base URL right (the bare host)? It says: %s",
			providers.Redact(providers.PageSample(page), w.secret))
	case first != '{' && first != '[' && w.call.form == formStream:
		w.lines = bufio.NewScanner(w.from)
		w.lines.Buffer(make([]byte, 4<<10), maxAnswer)
		return nil
	}
	all, err := io.ReadAll(io.LimitReader(w.from, maxWhole+1))
	if err != nil {
		return err
	}
	if len(all) > maxWhole {
		return errTooLarge
	}
	if first != '[' {
		w.queue = []json.RawMessage{all}
		return nil
	}
	// Without alt=sse a stream is one list, and some gateways forget it; errors come so too.
	if json.Unmarshal(all, &w.queue) != nil {
		return errBrokeOff
	}
	if w.call.form != formStream {
		return failed(all, w.secret)
	}
	return nil
}

// first is the first byte that is neither white space nor a byte order mark.
func (w *wire) first() (byte, error) {
	if mark, _ := w.from.Peek(1); len(mark) > 0 && bytes.HasPrefix(providers.ByteOrderMark, mark) {
		if mark, _ = w.from.Peek(len(providers.ByteOrderMark)); bytes.Equal(mark, providers.ByteOrderMark) {
			_, _ = w.from.Discard(len(mark)) // what was peeked is there
		}
	}
	for {
		c, err := w.from.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c, w.from.UnreadByte()
		}
	}
}

var fieldData = []byte("data:")

// event is the data of the next event.
func (w *wire) event() ([]byte, error) {
	var data []byte
	for w.lines.Scan() {
		line := w.lines.Bytes()
		value, isData := bytes.CutPrefix(line, fieldData)
		switch {
		case len(line) == 0 && len(data) > 0:
			return data, nil
		case isData:
			data = append(append(data, value...), '\n')
		case len(line) > 0 && line[0] == '{': // an error put into the stream as it is
			data = append(append(data, line...), '\n')
		}
		if len(data) > maxAnswer {
			return nil, errTooLarge
		}
	}
	err := w.lines.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, errTooLarge
	case err != nil:
		return nil, err
	case len(data) > 0: // the blank line is missing: the content decides whether it is complete
		return data, nil
	}
	return nil, io.EOF
}

// clean checks one object, and gives it back in one line with its arguments as text.
func (w *wire) clean(data []byte) ([]byte, error) {
	var object map[string]json.RawMessage
	if !json.Valid(data) {
		data = providers.Lenient(data)
	}
	if json.Unmarshal(data, &object) != nil || object == nil {
		if w.call.form != formStream && len(data) > 0 && bytes.TrimSpace(data)[0] == '{' {
			return nil, errBrokeOff
		}
		return nil, notJSON(data, w.secret)
	}
	if present(object["error"]) {
		return nil, failed(data, w.secret)
	}
	if w.call.form == formModels {
		if !present(object["models"]) {
			object["models"] = json.RawMessage("[]") // the library would log the answer
		}
		return json.Marshal(object)
	}
	if !present(object["candidates"]) && !present(object["promptFeedback"]) && !present(object["usageMetadata"]) && len(object) > 0 {
		return nil, providers.Errorf(providers.ClassInvalidRequest, "this is no Gemini API: %s",
			providers.Redact(providers.PageSample(data), w.secret))
	}
	w.follow(data)
	if bytes.Contains(data, []byte(`"finishMessage"`)) {
		w.call.why = finishMessage(object)
	}
	if bytes.Contains(data, []byte(`"functionCall"`)) {
		return keepArguments(object)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return nil, errBrokeOff
	}
	return line.Bytes(), nil
}

var finishReason = regexp.MustCompile(`"finishReason"\s*:\s*"([^"]*)"`)

// follow shortens the wait for the end of a stream after its finish reason: some hosts leave it
// open.
func (w *wire) follow(event []byte) {
	if w.call.watch == nil || w.call.form != formStream {
		return
	}
	found := finishReason.FindSubmatch(event)
	switch {
	case found != nil && providers.FinishOf(string(found[1])) != providers.FinishNone:
		w.ending = true
	case w.ending && bytes.Contains(event, []byte(`"parts"`)):
		w.ending = false
		w.call.watch.GoesOn()
	}
	if w.ending {
		w.call.watch.Ending(bytes.Contains(event, []byte(`"usageMetadata"`)))
	}
}

func finishMessage(object map[string]json.RawMessage) string {
	var candidates []struct {
		FinishMessage string `json:"finishMessage"`
	}
	if json.Unmarshal(object["candidates"], &candidates) != nil || len(candidates) == 0 {
		return ""
	}
	return clean(candidates[0].FinishMessage)
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
