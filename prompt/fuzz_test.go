package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// sound checks what everything after the parser relies on.
func sound(t *testing.T, answer *domain.AIMessage, problem string) {
	t.Helper()
	if (answer == nil) == (problem == "") {
		t.Fatalf("answer %v, problem %q: exactly one of them", answer, problem)
	}
	if !utf8.ValidString(problem) || len(problem) > 1500 {
		t.Fatalf("a problem of %d bytes: %q", len(problem), problem)
	}
	if answer == nil {
		return
	}
	if answer.PreText != cleanText(answer.PreText) {
		t.Fatalf("unclean text: %q", answer.PreText)
	}
	for _, c := range append(slices.Clip(answer.DataCommands), answer.ActionCommands...) {
		if !isObject(c.Params) || c.CallID == "" {
			t.Fatalf("a command that cannot be run: %+v", c)
		}
		if _, mistakes, err := jsonbody.Read(c.Params, jsonbody.Answer); err != nil || mistakes.Replaced {
			t.Fatalf("params that are no JSON, or hold NUL: %q %v", c.Params, err)
		}
	}
	if answer.Module != nil && !isObject(answer.Module.Data) {
		t.Fatalf("module: %+v", answer.Module)
	}
}

func FuzzParseNative(f *testing.F) {
	f.Add("Hello.", "ZONES", `{"a":1}`, "stop")
	f.Add("", "ASK_USER", `{"type":"Text","data":{}}`, "calls")
	f.Add("", "COMPLETE", `{"summary":"\u0000"}`, "calls")
	f.Add("\xff\x00", "x", `{"a":"\ud800","`, "length")
	f.Fuzz(func(t *testing.T, text, name, arguments, stop string) {
		raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: text, StopReason: stop, Calls: []domain.RawCall{
			{ID: "c1", Name: "ZONES", Arguments: arguments}, {ID: "c2", Name: name, Arguments: arguments}}}
		answer, problem := Parse(raw, input(domain.ProtocolNative))
		sound(t, answer, problem)
		if Hash(raw) != Hash(raw) {
			t.Fatal("a hash that changes")
		}
		blocks := answerBlocks(&domain.Message{Sender: domain.SenderAI, Raw: raw}, domain.ProtocolNative)
		for _, call := range blocks[0].Answer.Calls {
			if !isObject([]byte(call.Arguments)) || call.Name != callName(call.Name) {
				t.Fatalf("APIs refuse %+v", call)
			}
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, text := range []string{
		`{"pre_text":"Hi."}`, "```json\n{\"pre_text\":\"a\"}\n```", `{'pre_text':'x',}`, "{{{{", `{"a":{"b":[`,
		`{"pre_text":"","action_commands":[{"type":"DELETE_DATA","params":{"entry_ids":["a"`, `{"pre_text":"\ud800\u0000"}`, `callback({pre_text: "x"})`,
	} {
		f.Add(text, "stop")
		f.Add(text, "length")
	}
	f.Fuzz(func(t *testing.T, text, stop string) {
		raw := &domain.RawAnswer{Protocol: domain.ProtocolJSON, Text: text, StopReason: stop}
		answer, problem := Parse(raw, input(domain.ProtocolJSON))
		sound(t, answer, problem)
		if stop == "length" && answer != nil && !strings.Contains(text, "}") {
			t.Fatalf("a cut answer was completed: %q", text)
		}
	})
}

// garbage is what a model that has lost its way may repeat, by what it is, in frames that
// let it reach each part of the reader.
var garbage = map[string]string{
	"open braces": "{", "open brackets": "[", "quotes": `"`, "backslashes": `\`, "calls": "a(", "pairs": "{}",
	"odd pairs": "{'a'}", "words": "a b ", "lines": "x\n", "commas": ",", "comments": "/**/",
	"strings added": `+"a"`, "inner quotes": `a "b" c, `, "fields": "a:1,", "escapes": `\u00`,
}

func garbageOf(piece string, length int) []string {
	var texts []string
	for _, frame := range [][2]string{{"{pre_text: 1,\n", ""}, {`{"pre_text":"`, `"}`}, {`{"pre_text":""`, "}"}} {
		texts = append(texts, frame[0]+strings.Repeat(piece, length/len(piece))+frame[1])
	}
	return texts
}

// Long garbage is read to an end, and so is what is just short enough to be given to the
// repairer. How long that takes is measured by BenchmarkGarbage.
func TestGarbageIsReadToAnEnd(t *testing.T) {
	for name, piece := range garbage {
		t.Run(name, func(t *testing.T) {
			for _, length := range []int{maxRepair - 100, 1 << 20} {
				for _, text := range garbageOf(piece, length) {
					answer, problem := Parse(&domain.RawAnswer{Text: text, StopReason: "stop"}, input(domain.ProtocolJSON))
					sound(t, answer, problem)
				}
			}
		})
	}
}

// BenchmarkGarbage reads the longest text that the repairer gets, whose time grows faster
// than the text, and a long one, which it does not get.
func BenchmarkGarbage(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(garbage)) {
		for _, length := range []int{maxRepair / 2, maxRepair - 100, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", name, length), func(b *testing.B) {
				texts := garbageOf(garbage[name], length)
				b.SetBytes(int64(len(texts) * length))
				for b.Loop() {
					for _, text := range texts {
						Parse(&domain.RawAnswer{Text: text, StopReason: "stop"}, input(domain.ProtocolJSON))
					}
				}
			})
		}
	}
}
