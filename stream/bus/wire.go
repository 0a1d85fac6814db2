package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Wire takes messages to the other nodes, in the order in which they are sent. What it
// loses is lost.
type Wire interface {
	// Start begins to listen. Each message goes to heard; missed is called when some may
	// have been lost, and once when the first connection stands.
	Start(ctx context.Context, channels []string, heard func(payload string), missed func()) error
	Send(ctx context.Context, parcels []Parcel) error
	Stop(ctx context.Context) error
}

// Parcel is one message to a channel: everybody's, or that of one node.
type Parcel struct{ Channel, Payload string }

// everybody's channel.
const everybody = "fermata"

// channelOf is where one start of a node listens alone.
func channelOf(id string) string { return everybody + "_" + id }

const (
	// maxPayload keeps a message under the 8,000 bytes that PostgreSQL takes.
	maxPayload = 7500
	// maxText bounds the text of one part, in the bytes that it has as JSON.
	maxText = 6000
	// maxListed bounds the sessions in one part.
	maxListed = 100
)

// kind says what a part is about.
type kind string

const (
	kindHello    kind = "hello"    // I am here; with Ask: say so too
	kindBye      kind = "bye"      // I have given my lease back
	kindHint     kind = "hint"     // a workspace's log has grown
	kindCut      kind = "cut"      // a claim older than Epoch is over
	kindYield    kind = "yield"    // somebody waits for the slot of Session
	kindWatching kind = "watching" // somebody reads Sessions here
	kindLeft     kind = "left"     // nobody does any more
	kindBeat     kind = "beat"     // somebody looked at Sessions just now
	kindText     kind = "text"     // of an answer
	kindStored   kind = "stored"   // the answer has become a message
	kindVoid     kind = "void"     // the answer will not become one
	kindAgain    kind = "again"    // send the text of Sessions from its start; none: of all
	kindRestart  kind = "restart"  // some text was lost: what I sent begins anew
)

// part is one piece of news.
type part struct {
	Kind      kind         `json:"k"`
	Ask       bool         `json:"ask,omitempty"`
	Hint      *domain.Hint `json:"hint,omitempty"`
	Workspace string       `json:"w,omitempty"`
	Session   string       `json:"s,omitempty"`
	Sessions  []string     `json:"ss,omitempty"`
	Epoch     int64        `json:"e,omitempty"`
	Cause     string       `json:"c,omitempty"`
	Message   string       `json:"m,omitempty"`
	TextKind  string       `json:"tk,omitempty"`
	Offset    int          `json:"o,omitempty"` // in characters
	Text      string       `json:"t,omitempty"`
	Joined    bool         `json:"j,omitempty"` // the node came in mid-answer
	Seq       int64        `json:"n,omitempty"`
	At        *time.Time   `json:"at,omitempty"`
}

// message is what goes over the wire.
type message struct {
	From  string            `json:"f"`
	Parts []json.RawMessage `json:"p"`
}

// pack puts parts into as few payloads as will hold them, in their order. A part that no
// payload can hold is left out, and told of.
func pack(from, channel string, parts []part) ([]Parcel, error) {
	var parcels []Parcel
	var left error
	m, size := message{From: from}, 0
	envelope := len(from) + 32
	closeOff := func() {
		if len(m.Parts) == 0 {
			return
		}
		payload, _ := json.Marshal(m) // strings, and JSON that was just made: cannot fail
		parcels = append(parcels, Parcel{Channel: channel, Payload: string(payload)})
		m.Parts, size = nil, 0
	}
	for i := range parts {
		encoded, err := json.Marshal(&parts[i])
		if err == nil && envelope+len(encoded) > maxPayload {
			err = fmt.Errorf("%d bytes are more than a message holds", len(encoded))
		}
		if err != nil {
			left = errors.Join(left, fmt.Errorf("pack a part of kind %s: %w", parts[i].Kind, err))
			continue
		}
		if envelope+size+len(encoded)+1 > maxPayload {
			closeOff()
		}
		m.Parts = append(m.Parts, encoded)
		size += len(encoded) + 1
	}
	closeOff()
	return parcels, left
}

// unpack reads a payload. Parts of a kind that this version does not know come too, and
// are passed over: nodes of two versions may run side by side during an update.
func unpack(payload string) (from string, parts []part, err error) {
	var m message
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		return "", nil, fmt.Errorf("read a message: %w", err)
	}
	for _, encoded := range m.Parts {
		var p part
		if err := json.Unmarshal(encoded, &p); err != nil {
			return m.From, parts, fmt.Errorf("read a part: %w", err)
		}
		parts = append(parts, p)
	}
	return m.From, parts, nil
}
