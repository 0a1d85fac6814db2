package script

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

func provide(t *testing.T, config string) providers.Provider {
	t.Helper()
	p, err := Kind().New(json.RawMessage(config), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func user(texts ...string) *ai.Turn {
	t := &ai.Turn{Role: ai.TurnUser}
	for _, text := range texts {
		t.Blocks = append(t.Blocks, ai.Block{Kind: ai.BlockText, Text: text})
	}
	return t
}

func answered(raw *domain.RawAnswer, result string) []*ai.Turn {
	turns := []*ai.Turn{{Role: ai.TurnAssistant, Blocks: []ai.Block{{Kind: ai.BlockAnswer, Answer: raw}}}}
	if len(raw.Calls) == 0 {
		return turns
	}
	return append(turns, &ai.Turn{Role: ai.TurnUser, Blocks: []ai.Block{
		{Kind: ai.BlockResult, CallID: raw.Calls[0].ID, Call: &raw.Calls[0], Text: result}}})
}

func query(t *testing.T, p providers.Provider, turns ...*ai.Turn) (*providers.Answer, error) {
	t.Helper()
	return p.Query(t.Context(), &providers.Request{NewID: repeatable.IDs(), SessionID: "ses_1",
		Prompt: &ai.Prompt{Turns: turns, Commands: []domain.CommandSpec{{Name: "ZONES"}}}})
}

// A script asks for the zones, uses an id of the result, and then speaks.
func TestAScriptRunsItsSteps(t *testing.T) {
	p := provide(t, `{"steps": [
		{"when": {"contains": "tool", "roundtrip": 1, "offers": "ZONES"}, "answer": {"text": "I look.", "calls": [{"name": "ZONES", "id": "c1"}]}},
		{"when": {"roundtrip": 2, "result": "Health"}, "let": {"zone": "\"(zon_\\d+)\""},
			"answer": {"calls": [{"name": "CREATE_TOOL", "arguments": {"zone_id": "${zone}"}}]}, "usage": {"input_tokens": 7}},
		{"when": {"matches": "^make a"}, "answer": {"text": "Made."}}]}`)
	turns := []*ai.Turn{user("make a tool")}
	first, err := query(t, p, turns...)
	if err != nil || first.Raw.Text != "I look." || first.Raw.Calls[0].Name != "ZONES" || first.Raw.Calls[0].ProviderID != "c1" {
		t.Fatalf("first: %+v, %v", first, err)
	}
	turns = append(turns, answered(first.Raw, `[{"id":"zon_7","name":"Health"}]`)...)
	second, err := query(t, p, turns...)
	if err != nil || second.Raw.Calls[0].Arguments != `{"zone_id": "zon_7"}` || second.Usage.InputTokens != 7 {
		t.Fatalf("second: %+v, %v", second, err)
	}
	third, err := query(t, p, append(turns, answered(second.Raw, "Done.")...)...)
	if err != nil || third.Raw.Text != "Made." || third.Raw.StopReason != "stop" {
		t.Fatalf("third: %+v, %v", third, err)
	}
}

func TestNoStepIsALoudError(t *testing.T) {
	p := provide(t, `{"steps": [{"name": "once", "times": 1, "answer": {"text": "yes"}}, {"when": {"without": "ZONES"}, "answer": {"text": "no"}}]}`)
	if _, err := query(t, p, user("hello")); err != nil {
		t.Fatal(err)
	}
	_, err := query(t, p, user("hello again"))
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.ClassInvalidRequest {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{`"hello again"`, "roundtrip 1", "0 (once) used up"} {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%q does not contain %q", e.Message, part)
		}
	}
}

func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := provide(t, `{"steps": [
			{"when": {"contains": "limit"}, "fault": {"class": "rate_limited", "status": 429, "retry_after_seconds": 2.5}},
			{"when": {"contains": "cut"}, "delay_ms": 1000, "token_delay_ms": 100, "answer": {"text": "one two three four"}, "fault": {"after_tokens": 2}},
			{"when": {"contains": "hang"}, "fault": {"hang": true}},
			{"when": {"contains": "malformed"}, "answer": {"calls": [{"name": "X", "arguments": "{\"a\":"}]}},
			{"when": {"contains": "length"}, "answer": {"text": "long", "stop_reason": "length", "calls": [{"name": "X"}]}},
			{"when": {"contains": "large"}, "answer": {"megabytes": 3}}]}`)

		_, err := query(t, p, user("limit"))
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.ClassRateLimited || e.RetryAfter != 2500*time.Millisecond || e.Status != 429 {
			t.Errorf("limit: %v", err)
		}
		start, received := time.Now(), ""
		_, err = p.Query(t.Context(), &providers.Request{NewID: repeatable.IDs(), Prompt: &ai.Prompt{Turns: []*ai.Turn{user("cut")}},
			OnDelta: func(d providers.Delta) { received += d.Text }})
		if !errors.As(err, &e) || e.Class != providers.ClassNetwork || received != "one two " || time.Since(start) != 1100*time.Millisecond {
			t.Errorf("cut: %v after %q, %s", err, received, time.Since(start))
		}
		stopped := errors.New("stopped by the person")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Hour, func() { cancel(stopped) })
		_, err = p.Query(ctx, &providers.Request{NewID: repeatable.IDs(), Prompt: &ai.Prompt{Turns: []*ai.Turn{user("hang")}}})
		if !errors.Is(err, stopped) {
			t.Errorf("hang: %v", err)
		}
		if a, err := query(t, p, user("malformed")); err != nil || a.Raw.Calls[0].Arguments != `{"a":` {
			t.Errorf("malformed: %+v, %v", a, err)
		}
		if a, err := query(t, p, user("length")); err != nil || len(a.Raw.Calls) != 0 || a.Raw.Text != "long" {
			t.Errorf("length: %+v, %v", a, err)
		}
		if a, err := query(t, p, user("large")); err != nil || len(a.Raw.Text) != 3<<20 {
			t.Errorf("large: %v", err)
		}
	})
}

func TestScriptsThatCannotBeUsed(t *testing.T) {
	for config, problem := range map[string]string{
		`{"steps": [{"wen": {}}]}`:                             `unknown field "wen"`,
		`{"steps": [{"when": {}}]}`:                            "neither answer nor fault",
		`{"steps": [{"when": {"matches": "("}, "fault": {}}]}`: "when.matches",
		`{"steps": [{"let": {"a": "("}, "fault": {}}]}`:        "let.a",
		`{"steps": [{"answer": {"megabytes": 1000}}]}`:         "megabytes",
		`{"path": "/etc/passwd"}`:                              "does not read script files",
	} {
		if _, err := Kind().New(json.RawMessage(config), "", nil); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, want %q", config, err, problem)
		}
	}
	p := provide(t, `{"steps": [{"let": {"id": "ent_\\d+"}, "answer": {"text": "${id}"}}]}`)
	if _, err := query(t, p, user("no id here")); err == nil || !strings.Contains(err.Error(), "let.id") {
		t.Errorf("a value that is not there: %v", err)
	}
}

// A script file is read below its directory only.
func TestScriptFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.json": `{"steps": [{"answer": {"json": {"pre_text": "hi"}}}]}`,
		"b.json": `[{"answer": {"text": "bare"}}]`,
		"c.json": `root:x:0:0`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"a.json": `{"pre_text": "hi"}`, "b.json": "bare"} {
		p, err := kindIn(dir).New(json.RawMessage(`{"path": "`+path+`"}`), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := query(t, p, user("x")); err != nil || a.Raw.Text != want {
			t.Errorf("%s: %+v, %v", path, a, err)
		}
	}
	for _, path := range []string{"c.json", "../a.json", "/etc/passwd", "none.json"} {
		if _, err := kindIn(dir).New(json.RawMessage(`{"path": "`+path+`"}`), "", nil); err == nil || strings.Contains(err.Error(), "root:") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
