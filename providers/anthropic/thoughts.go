package anthropic

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// thought is what Thinking.Data holds: a block of thoughts as it goes back, and where
// it stood in its answer.
type thought struct {
	Host  string          `json:"host"`  // who signed it
	Text  int             `json:"text"`  // after so many bytes of the answer's text
	Calls int             `json:"calls"` // and so many of its calls
	Block json.RawMessage `json:"block"`
}

// data writes it by hand: encoding/json would write the block in other bytes than those
// that came.
func (t *thought) data() string {
	b := providers.AppendString([]byte(`{"host":`), t.Host)
	b = strconv.AppendInt(append(b, `,"text":`...), int64(t.Text), 10)
	b = strconv.AppendInt(append(b, `,"calls":`...), int64(t.Calls), 10)
	b = append(append(b, `,"block":`...), t.Block...)
	return string(append(b, '}'))
}

// thoughts are those of an answer that go back: they came from this API, whole and
// signed.
func (e encoder) thoughts(raw *domain.RawAnswer) []thought {
	if raw.Provider != kindName {
		return nil
	}
	var out []thought
	for i := range raw.Thinking {
		if t, ok := e.thought(raw.Thinking[i].Data); ok {
			out = append(out, t)
		}
	}
	return out
}

func (e encoder) thought(data string) (thought, bool) {
	var t thought
	if data == "" || json.Unmarshal([]byte(data), &t) != nil {
		return t, false
	}
	return t, t.Host == e.host && len(t.Block) > 0 && t.Block[0] == '{'
}

// mayThink says whether a fixed budget can be asked for. The API wants the answer whose
// results are being sent to begin with thoughts then; one that came from elsewhere, or
// from before thinking was switched on, has none.
func (e encoder) mayThink(turns []*ai.Turn) bool {
	for _, t := range slices.Backward(turns) {
		if t.Role != ai.TurnAssistant {
			continue
		}
		for _, block := range t.Blocks {
			if block.Answer != nil && len(block.Answer.Calls) > 0 {
				th := e.thoughts(block.Answer)
				return len(th) > 0 && th[0].Text == 0 && th[0].Calls == 0
			}
		}
		return true
	}
	return true
}
