package providers

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// The words of every vendor for the end of an answer. One that is not known is never a plain
// stop.
func TestFinishWords(t *testing.T) {
	for finish, words := range map[Finish][]string{
		FinishStop: {
			"stop", "STOP", "Stop", "end_turn", "END_TURN", "endTurn", "stop_sequence", "STOP_SEQUENCE", "eos", "eos_token", "COMPLETE", "FINISH",
			"FinishReason.STOP", "FINISH_REASON_STOP", "eosFound", "stopStringFound", "normal", "end_of_text", " stop ",
		},
		FinishCalls: {"tool_calls", "TOOL_CALL", "tool_use", "toolUse", "TOOL_USE", "function_call", "tool-calls", "FinishReason.TOOL_CALLS"},
		FinishLength: {
			"length", "LENGTH", "max_tokens", "MAX_TOKENS", "maxTokens", "max_output_tokens", "model_length", "MAX_LENGTH", "token_limit",
			"model_context_window_exceeded", "ERROR_LIMIT", "maxPredictedTokensReached", "contextLengthReached", "FinishReason.MAX_TOKENS",
			"FINISH_REASON_MAX_TOKENS", "max-tokens", "max_new_tokens", "maximum_tokens", "context_length_exceeded",
		},
		FinishFiltered: {
			"content_filter", "CONTENT_FILTER", "content-filter", "content_filtered", "CONTENT_FILTERED", "SAFETY", "safety", "sensitive", "refusal",
			"RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE", "guardrail_intervened", "MODEL_ARMOR", "ERROR_TOXIC",
			"FinishReason.SAFETY", "contentFilter",
		},
		FinishMalformed:  {"MALFORMED_FUNCTION_CALL", "malformed_function_call", "malformed_tool_use", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"},
		FinishBroken:     {"error", "ERROR", "abort", "aborted", "timeout", "TIMEOUT", "cancelled", "USER_CANCEL", "network_error", "time_limit", "modelUnloaded"},
		FinishOverloaded: {"insufficient_system_resource", "RESOURCE_EXHAUSTED", "overloaded"},
		FinishNone:       {"", " ", "null", "NULL", "FINISH_REASON_UNSPECIFIED", "CONTINUATION", "not_finished"},
		FinishUnknown:    {"pause_turn", "OTHER", "OTHER_REASON", "bad_weather", "stopped by a monkey", "7", "…", "IMAGE_OTHER"},
	} {
		for _, word := range words {
			if got := FinishOf(word); got != finish {
				t.Errorf("%q is %q, want %q", word, got, finish)
			}
		}
	}
}

// What is no answer is an error of the right class, with the vendor's word and the text that
// had come.
func TestFinishFailures(t *testing.T) {
	for finish, class := range map[Finish]Class{
		FinishFiltered: ClassRefused, FinishBroken: ClassNetwork, FinishOverloaded: ClassOverloaded,
		FinishStop: "", FinishCalls: "", FinishLength: "", FinishUnknown: "", FinishNone: "", FinishMalformed: "",
	} {
		e := finish.Failure("WORD", "Half an ans")
		if class == "" {
			if e != nil {
				t.Errorf("%q fails: %v", finish, e)
			}
			continue
		}
		if e == nil || e.Class != class || e.Text != "Half an ans" || !strings.Contains(e.Message, "WORD") {
			t.Errorf("%q: %+v", finish, e)
		}
	}
}

func TestAnIncompleteAnswerHasNoCalls(t *testing.T) {
	raw := Incomplete(&domain.RawAnswer{Calls: []domain.RawCall{{Name: "ZONES"}}}, domain.StopUnknown, "bad\x00weather", []string{"ZONES", "X"})
	if raw.Calls != nil || !slices.Equal(raw.CutCalls, []string{"ZONES", "X"}) || raw.StopDetail != "bad\uFFFDweather" || !raw.Partial() {
		t.Errorf("got %+v", raw)
	}
}

func TestLenient(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":NaN}`:                       `{"a":null}`,
		`{"a":[-Infinity,Infinity,1,-2]}`: `{"a":[null,null,1,-2]}`,
		`{"a":"NaN \\" ,"b":"-Infinity"}`: `{"a":"NaN \\" ,"b":"-Infinity"}`,
		`{"a":"\"NaN","b":NaN}`:           `{"a":"\"NaN","b":null}`,
		`{"a":1}`:                         `{"a":1}`,
		`NaN`:                             `null`,
		`-`:                               `-`,
	} {
		if got := string(Lenient([]byte(in))); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
