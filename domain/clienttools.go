package domain

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ClientTool is a function of the program that sent a message. The AI is offered it beside the commands;
// the program runs it and sends the result.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Params      json.RawMessage `json:"params"` // JSON Schema
}

// ClientTools are those that came with a message. They hold for its round.
type ClientTools struct {
	List []ClientTool `json:"list"`
	// OneAtATime: the program takes one call in an answer.
	OneAtATime bool `json:"one_at_a_time,omitempty"`
	// Answer is the format of the round's final answer; nil: text.
	Answer *AnswerFormat `json:"answer,omitempty"`
}

// AnswerFormat is the JSON Schema that the final answer of a round has to satisfy.
type AnswerFormat struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// WithAnswer returns the tools with the format of the final answer. format may be nil, and t too.
func (t *ClientTools) WithAnswer(format *AnswerFormat) *ClientTools {
	if format == nil {
		return t
	}
	if t == nil {
		t = &ClientTools{}
	}
	own := *t
	own.Answer = format
	return &own
}

// Limits of the tools and results that a program can send.
const (
	MaxClientTools   = 128
	MaxClientResults = 256 << 10 // of one answer's calls together, in bytes
)

// Bytes is about how long they are.
func (t *ClientTools) Bytes() int {
	if t == nil {
		return 0
	}
	sum := 0
	if t.Answer != nil {
		sum = len(t.Answer.Name) + len(t.Answer.Description) + len(t.Answer.Schema)
	}
	for i := range t.List {
		sum += len(t.List[i].Name) + len(t.List[i].Description) + len(t.List[i].Params)
	}
	return sum
}

// Specs returns the tools as they are offered to a model. A tool whose name is also a command's is left
// out: the command was added after the message, which would have been rejected otherwise.
func (t *ClientTools) Specs(commands []CommandSpec) []CommandSpec {
	if t == nil {
		return nil
	}
	taken := map[string]bool{}
	for i := range commands {
		taken[commands[i].WireName()] = true
	}
	var specs []CommandSpec
	for _, tool := range t.List {
		if !taken[tool.Name] {
			specs = append(specs, CommandSpec{
				Name: tool.Name, Kind: KindQuery, Effect: EffectNonIdempotent, Source: SourceClient,
				Description: tool.Description, Params: tool.Params,
			})
		}
	}
	return specs
}

// ClientCall is a call of a client's tool in an answer.
type ClientCall struct {
	ID     string          `json:"id"` // of the call in the raw answer (RawCall.ID)
	Name   string          `json:"name"`
	Params json.RawMessage `json:"params"`
}

// ClientResult is a program's result of one call of its tool.
type ClientResult struct {
	CallID string `json:"call_id"`
	Text   string `json:"text"`
}

// Programs are given calls under ids that name the approval which waits for their results, so
// that a program which has nothing but an id finds its way back, after any restart.
const clientCallPrefix = "call_"

// ClientCallID is the id under which a program is given the call of this place in an approval.
func ClientCallID(approval string, place int) string {
	return clientCallPrefix + strings.TrimPrefix(approval, PrefixApproval+"_") + "_" + strconv.Itoa(place)
}

// ClientCallOf reads such an id.
func ClientCallOf(id string) (approval string, place int, ok bool) {
	rest, given := strings.CutPrefix(id, clientCallPrefix)
	at := strings.LastIndexByte(rest, '_')
	if !given || at <= 0 {
		return "", 0, false
	}
	approval = PrefixApproval + "_" + rest[:at]
	place, err := strconv.Atoi(rest[at+1:])
	return approval, place, err == nil && place >= 0 && ClientCallID(approval, place) == id
}

// ClientResultsID is the id of the message with the results that an approval waits for.
func ClientResultsID(approval string) string {
	return PrefixMessage + "_of_" + strings.TrimPrefix(approval, PrefixApproval+"_")
}

// ClientResultsOf reads such an id.
func ClientResultsOf(message string) (approval string, ok bool) {
	digits, ok := strings.CutPrefix(message, PrefixMessage+"_of_")
	return PrefixApproval + "_" + digits, ok
}

// ClientResultsFor matches results by call id to the calls of an approval, in their order. pointer locates
// an entry of the request.
func ClientResultsFor(a *Approval, ids, texts []string, pointer func(int) string) ([]ClientResult, error) {
	results, bytes := make([]ClientResult, len(a.Actions)), 0
	for i, id := range ids {
		approval, place, ok := ClientCallOf(id)
		if !ok || approval != a.ID || place >= len(results) {
			return nil, Invalid(pointer(i), "unknown_call", "%.80q is no call that is waited for. Nothing was changed.", id)
		}
		if results[place].CallID != "" {
			return nil, Invalid(pointer(i), "result_twice", "The call %.80q has two results. Nothing was changed.", id)
		}
		results[place] = ClientResult{CallID: a.Actions[place].ID, Text: texts[i]}
		bytes += len(texts[i])
	}
	for i := range results {
		if results[i].CallID == "" {
			return nil, Invalid(pointer(len(ids)-1), "result_missing", "The call %s (%s) has no result. Every call needs one. Nothing was changed.",
				ClientCallID(a.ID, i), a.Actions[i].Command)
		}
	}
	if bytes > MaxClientResults {
		return nil, Invalid(pointer(len(ids)-1), "too_long", "The results of one answer's calls have %d bytes together at most.", MaxClientResults)
	}
	return results, nil
}
