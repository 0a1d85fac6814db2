package gemini

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// layout is the order of an answer's parts with their signatures. A raw answer stores text,
// thoughts and calls separately; if that is not enough to send the parts back unchanged, their
// order is stored in Thinking.Data.
type layout struct {
	Parts []piece `json:"parts"`
}

// piece is a part: a number of bytes of the text or of the thoughts, or the next call.
type piece struct {
	Kind      string `json:"kind"`
	Size      int    `json:"size,omitempty"`
	Signature string `json:"signature,omitempty"` // a call has its own
}

const (
	pieceThought = "thought"
	pieceText    = "text"
	pieceCall    = "call"
)

// add records a piece of text or thoughts. It extends the previous one, except that a part with a
// signature is separate, even if it is empty, as the API requires.
func (l *layout) add(kind string, size int, signature string) {
	if size == 0 && signature == "" {
		return
	}
	last := len(l.Parts) - 1
	if last >= 0 && signature == "" && l.Parts[last].Kind == kind && l.Parts[last].Signature == "" {
		l.Parts[last].Size += size
		return
	}
	l.Parts = append(l.Parts, piece{Kind: kind, Size: size, Signature: signature})
}

func (l *layout) call() { l.Parts = append(l.Parts, piece{Kind: pieceCall}) }

var stages = map[string]int{pieceThought: 0, pieceText: 1, pieceCall: 2}

// plain: thoughts, then text, then calls, and no signature but those of calls.
func (l *layout) plain() bool {
	stage := 0
	for _, p := range l.Parts {
		if p.Signature != "" || stages[p.Kind] < stage {
			return false
		}
		stage = stages[p.Kind]
	}
	return true
}

// encode gives "" for a plain layout.
func (l *layout) encode() string {
	if l.plain() {
		return ""
	}
	b, err := json.Marshal(l)
	if err != nil {
		return ""
	}
	return string(b)
}

// layoutOf is the layout of an answer that came from here. One that is lost or does
// not fit, or that another provider gave, is the plain one.
func layoutOf(raw *domain.RawAnswer) *layout {
	if raw.Provider == kindName {
		for i := range raw.Thinking {
			l := &layout{}
			if data := raw.Thinking[i].Data; data != "" && json.Unmarshal([]byte(data), l) == nil && l.fits(raw) {
				return l
			}
		}
	}
	l := &layout{}
	l.add(pieceText, len(raw.Text), "")
	for range raw.Calls {
		l.call()
	}
	return l
}

// fits: the pieces are exactly what the answer holds.
func (l *layout) fits(raw *domain.RawAnswer) bool {
	sums := map[string]int{}
	for _, p := range l.Parts {
		if _, known := stages[p.Kind]; !known || p.Size < 0 {
			return false
		}
		sums[p.Kind] += p.Size
		if p.Kind == pieceCall {
			sums[pieceCall]++
		}
	}
	return sums[pieceText] == len(raw.Text) && sums[pieceThought] == len(thoughtsOf(raw)) && sums[pieceCall] == len(raw.Calls)
}

func thoughtsOf(raw *domain.RawAnswer) string {
	var text strings.Builder
	for i := range raw.Thinking {
		text.WriteString(raw.Thinking[i].Text)
	}
	return text.String()
}
