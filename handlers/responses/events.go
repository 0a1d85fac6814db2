package responses

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/rounds"
)

// event is an event of a response's stream. Events of an item have its index in the output.
type event struct {
	Type         string       `json:"type"`
	Number       int64        `json:"sequence_number"`
	Response     *response    `json:"response,omitempty"`
	OutputIndex  *int         `json:"output_index,omitempty"`
	ContentIndex *int         `json:"content_index,omitempty"`
	ItemID       string       `json:"item_id,omitempty"`
	Item         *outputItem  `json:"item,omitempty"`
	Part         *contentPart `json:"part,omitempty"`
	Delta        string       `json:"delta,omitempty"`
	Text         *string      `json:"text,omitempty"`
	Logprobs     *[]struct{}  `json:"logprobs,omitempty"`
	Name         string       `json:"name,omitempty"`
	Arguments    *string      `json:"arguments,omitempty"`
	// Fields of an error of the stream, which does not end the response.
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message,omitempty"`
	Param   *string `json:"param,omitempty"`

	index int
}

// events writes the events of a response after the one that the client has.
type events struct {
	rounds.Wire
	after int64 // number of the last event that the client has
	last  int64 // number of the last event that was written
}

// allEvents is the number before the first event.
const allEvents = -1

func (o *events) open() {
	o.SetHeaders()
	o.WriteComment("accepted")
	_ = o.Flush() // a disconnected client is noticed by its context
}

// wants reports whether the client does not have an event. If it has the beginning of a text delta,
// that part is removed.
func (o *events) wants(e *event) bool {
	if n := int64(utf8.RuneCountInString(e.Delta)); e.Number > o.after && e.Number-n < o.after {
		e.Delta = skipRunes(e.Delta, int(o.after-(e.Number-n)))
	}
	return e.Number > o.after
}

func (o *events) send(e *event) {
	if !o.wants(e) {
		return
	}
	if e.Response == nil {
		e.OutputIndex = &e.index
	}
	ofCall := strings.HasPrefix(e.Type, "response.function_call_arguments.")
	if e.ItemID != "" && !ofCall {
		e.ContentIndex = new(0)
	}
	if e.Delta != "" && !ofCall || e.Text != nil {
		e.Logprobs = &[]struct{}{}
	}
	o.write(e)
}

func (o *events) write(e *event) {
	o.last = e.Number
	body, _ := json.Marshal(e) // texts and numbers only: cannot fail
	o.WriteEvent(e.Type, body)
}

// fail ends a stream with an error. The response itself continues.
func (o *events) fail(f *api.Failure) {
	o.write(&event{Type: "error", Number: max(o.last, o.after, 0), Code: string(f.Code), Message: f.Message})
	_ = o.Flush() // the client may have disconnected
}
