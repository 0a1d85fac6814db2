package prompt

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
)

func check(t *testing.T, name, got string) {
	t.Helper()
	golden.Check(t, filepath.Join("testdata", name), got)
}

func specs() []domain.CommandSpec {
	spec := func(name string, kind domain.CommandKind, description, params string) domain.CommandSpec {
		return domain.CommandSpec{Name: name, Kind: kind, Description: description, Params: json.RawMessage(params)}
	}
	const period = `{"description":"Which time.","oneOf":[{"type":"object","properties":{"start":{"type":"string","format":"date-time"},"end":{"type":"string","format":"date-time"}},"required":["start","end"]},{"type":"object","properties":{"relative":{"type":"string"}},"required":["relative"]}]}`
	return []domain.CommandSpec{
		spec("ZONES", domain.KindQuery, "All zones.", `{"type":"object","properties":{},"additionalProperties":false}`),
		spec("TOOL_DATA", domain.KindQuery, "The entries of a tool, newest first.",
			`{"type":"object","properties":{"tool_id":{"type":"string","description":"The tool."},"period":`+period+`,"limit":{"type":"integer","minimum":1,"maximum":500},"order":{"enum":["asc","desc"]}},"required":["tool_id"]}`),
		spec("CREATE_DATA", domain.KindAction, "Adds entries to a tool, all or none.",
			`{"type":"object","properties":{"tool_id":{"type":"string"},"entries":{"type":"array","minItems":1,"maxItems":500,"items":{"type":"object","properties":{"timestamp":{"type":"string","format":"date-time"},"data":{"type":"object"}},"required":["data"]}},"repeat":{"type":"boolean"},"validation_request":{"type":"boolean"}},"required":["tool_id","entries"]}`),
		spec("mail__send", domain.KindAction, "Sends a mail.", `{"type":"object","properties":{"to":{"$ref":"#/$defs/to"},"copies":{"type":["array","null"],"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}},"$defs":{"to":{"type":"string"}}}`),
		spec("ASK_USER", domain.KindControl, "Asks the person.", `{"type":"object"}`),
		spec("COMPLETE", domain.KindControl, "Ends the automation.", `{"type":"object"}`),
		spec("CANCEL_TASK", domain.KindControl, "Cancels a task.", `{"type":"object","properties":{"task_id":{"type":"string"}},"required":["task_id"]}`),
	}
}

func level1Input(t domain.SessionType, p domain.Protocol) Level1Input {
	settings := domain.DefaultSettings()
	return Level1Input{SessionType: t, Settings: &settings, Protocol: p, Specs: specs(), Limits: settings.LimitsFor(t)}
}

func level1(in Level1Input) string {
	text, _ := Level1(in)
	return text
}

func TestLevel1(t *testing.T) {
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run, domain.Agent} {
		for _, protocol := range []domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON} {
			got := level1(level1Input(kind, protocol))
			check(t, "level1-"+strings.ToLower(string(kind))+"-"+string(protocol)+".md", got+"\n")
			if strings.Contains(got, "{language}") || strings.Contains(got, "{max_calls}") || strings.Contains(got, "{commands}") || strings.Contains(got, "{limits}") {
				t.Errorf("%s %s: a placeholder was left", kind, protocol)
			}
		}
	}
}

func TestLevel1IsTheSameBytesWhateverTheOrderOfTheCatalogue(t *testing.T) {
	in := level1Input(domain.Chat, domain.ProtocolJSON)
	first := level1(in)
	slices.Reverse(in.Specs)
	if level1(in) != first {
		t.Error("the order of the specs must not matter")
	}
}

func TestPromptDetailAndOverridesPickChunks(t *testing.T) {
	in := level1Input(domain.Chat, domain.ProtocolNative)
	normal := level1(in)
	in.Settings.PromptDetail = "minimal"
	minimal := level1(in)
	in.Settings.PromptDetail = "full"
	full := level1(in)
	if !(len(minimal) < len(normal) && len(normal) < len(full)) {
		t.Errorf("minimal %d, normal %d, full %d", len(minimal), len(normal), len(full))
	}
	if !strings.Contains(minimal, "only when its result says so") {
		t.Error("what is always in was left out")
	}

	in.Settings.PromptDetail = "minimal"
	in.Settings.Language = "fr"
	in.Settings.PromptChunks = map[string]domain.ChunkChange{
		"role": {Text: new("Tu es Ada. {language}.")}, "data": {Enabled: new(false)}, "style-chat": {Text: new("Rhyme.")},
		"failures": {Enabled: new(true)}, "periods": {Text: new("No."), Enabled: new(false)}, "nothing": {Text: new("x")},
	}
	got, rules := Level1(in)
	if want := []Rule{{"role", "Tu es Ada. French."}, {"style-chat", "Rhyme."}}; !slices.Equal(rules, want) {
		t.Errorf("the workspace's own words are %q, want %q", rules, want)
	}
	if strings.Contains(got, "Ada") || strings.Contains(got, "Rhyme.") || strings.Contains(got, "# The person's data") || strings.Contains(got, "inside Fermata") {
		t.Errorf("overrides were not applied:\n%s", got)
	}
	if !strings.HasPrefix(got, "Answer in French, or") {
		t.Errorf("who replaces the role loses the language: %.60q", got)
	}
	if got != level1(in) {
		t.Error("the same settings give other bytes")
	}
	for _, c := range Chunks() {
		if _, isIn := in.Settings.ChunkText(&c); isIn != (c.Importance == 1 && c.Name != "data" || c.Name == "role" || c.Name == "style-chat" || c.Name == "failures") {
			t.Errorf("%s of importance %d is in: %v", c.Name, c.Importance, isIn)
		}
	}
}

func TestChunksWithAWrongFrontLineAreRefused(t *testing.T) {
	for _, tt := range []struct{ path, content string }{
		{"chunks/10-a.md", "importance: 4\nx"},
		{"chunks/10-a.md", "x\ny"},
		{"chunks/10-a.md", "importance: 1; for: CHATS\nx"},
		{"chunks/10-a.md", "importance: 1"},
		{"chunks/a.md", "importance: 1\nx"},
	} {
		if _, err := readChunk(tt.path, tt.content); err == nil {
			t.Errorf("%+v was taken", tt)
		}
	}
}

func TestLimitsInForceAreInThePrompt(t *testing.T) {
	five := 5
	got := limitsText(domain.Limits{MaxAutonomousRoundtrips: &five, MaxActionRetries: &five})
	if want := "# Limits in force\n- at most 5 answers of yours in a row before the session stops\n- at most 5 corrections in a row of failed actions\nPlan so that you stay well below them."; got != want {
		t.Error(got)
	}
	if limitsText(domain.Limits{}) != "" {
		t.Error("without a limit nothing is said of limits")
	}
}

func TestTail(t *testing.T) {
	s := domain.DefaultSettings()
	now := time.Date(2026, 3, 14, 1, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		zone, week string
		dayStart   int
		want       string
	}{
		{"UTC", "monday", 0, "Now: Saturday 2026-03-14 01:30 (UTC, UTC+00:00)."},
		{"Europe/Paris", "sunday", 4, "Now: Saturday 2026-03-14 02:30 (Europe/Paris, UTC+01:00). Days begin at 04:00, so today still is Friday 2026-03-13. Weeks begin on Sunday."},
		{"America/New_York", "monday", 4, "Now: Friday 2026-03-13 21:30 (America/New_York, UTC-04:00). Days begin at 04:00."},
		{"Nowhere/At_All", "", 0, "Now: Saturday 2026-03-14 01:30 (UTC, UTC+00:00)."},
	} {
		s.TimeZone, s.WeekStartDay, s.DayStartHour = tt.zone, tt.week, tt.dayStart
		if got := Tail(now, nil, &s); got != Notice("NOW", tt.want) {
			t.Errorf("%s: %s", tt.zone, got)
		}
	}
}

// A run that starts two days late still reads "last week" as of its scheduled time.
func TestTheTailHasTheTimeOfALateRun(t *testing.T) {
	s := domain.DefaultSettings()
	s.TimeZone = "Europe/Paris"
	now := time.Date(2026, 3, 14, 1, 30, 0, 0, time.UTC)
	for before, want := range map[time.Duration]string{
		48 * time.Hour: "This run was scheduled for Thursday 2026-03-12 02:30 (UTC+01:00): relative periods", 59 * time.Second: "", 0: "",
	} {
		got := Tail(now, new(now.Add(-before)), &s)
		if present := strings.Contains(got, "scheduled for"); present != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s late: %s", before, got)
		}
	}
}

// TestThePromptExplainsTheAIsOwnRequest verifies that an AUTOMATION's prompt states once that its own request
// has no effect; the other types are offered it, with advice when to use it. No two sentences contradict each other.
func TestThePromptExplainsTheAIsOwnRequest(t *testing.T) {
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run, domain.Agent} {
		for _, protocol := range []domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON} {
			for _, policy := range []string{"", domain.PolicyPark, domain.PolicyRefuse, domain.PolicyAllow} {
				in := level1Input(kind, protocol)
				in.Settings.PromptDetail, in.Validation = "full", policy
				got := level1(in)
				supported := kind != domain.Run
				for text, want := range map[string]bool{
					"Set `validation_request` where a change is large": supported,
					"and `validation_request` are dropped":             !supported,
					"also takes `repeat: true` (run again":             true,
					"`validation_request: true` (a person approves it": supported && protocol == domain.ProtocolNative,
					`"validation_request"?: boolean`:                   supported && protocol == domain.ProtocolJSON,
					"wait until a person has agreed":                   false, // a run's policy decides about its actions
				} {
					if strings.Contains(got, text) != want {
						t.Errorf("%s %s %s: %q is there: %v", kind, protocol, policy, text, !want)
					}
				}
				if n := strings.Count(got, "validation_request"); !supported && n != 1 {
					t.Errorf("%s %s: it reads of its own request %d times", kind, protocol, n)
				}
				if strings.Contains(got, "{") && strings.Contains(got, "_field}") || strings.Contains(got, "{action_flags}") || strings.Contains(got, "{own_request}") {
					t.Errorf("%s %s: a placeholder was left", kind, protocol)
				}
				if offered := strings.Contains(string(JSONSchemaOfAnswer(kind)), "validation_request"); offered != supported || !json.Valid(JSONSchemaOfAnswer(kind)) {
					t.Errorf("%s: the schema of its answers offers it: %v", kind, offered)
				}
			}
		}
	}
}

func TestTheSchemaOfAnswersIsJSON(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(JSONSchemaOfAnswer(domain.Chat), &schema); err != nil {
		t.Fatal(err)
	}
	for _, field := range answerFields {
		if schema.Properties[field] == nil {
			t.Errorf("%s is missing", field)
		}
	}
	if len(schema.Properties) != len(answerFields) {
		t.Error("the schema and the parser know different fields")
	}
}

func TestTheExamplesInTheJSONChunksCanBeParsed(t *testing.T) {
	examples := 0
	for _, c := range chunks {
		if !strings.HasPrefix(c.Name, "examples") {
			continue
		}
		for line := range strings.Lines(c.Text) {
			if !strings.HasPrefix(line, "{") {
				continue
			}
			examples++
			in := input(domain.ProtocolJSON)
			in.Specs["TOOL_STATS"] = domain.KindQuery
			if _, problem := Parse(&domain.RawAnswer{Text: line, StopReason: "length"}, in); problem != "" {
				t.Errorf("%s: %s", line, problem)
			}
		}
	}
	if examples != 4 {
		t.Errorf("%d examples", examples)
	}
}

// An automation learns how approvals work. Grants are written by people, and belong to level
// 2, in bytes that its uses do not change.
func TestThePromptOfARunExplainsApprovals(t *testing.T) {
	in := level1Input(domain.Run, domain.ProtocolNative)
	plain := level1(in)
	grant := domain.Grant{
		Commands: []string{"CREATE_DATA", "UPDATE_DATA"}, ZoneIDs: []string{"zon_1"}, ToolIDs: []string{"tol_1", "tol_2"}, MaxPerRun: 3,
		Bounds: json.RawMessage(`{"maxProperties": 2}`), ExpiresAt: new(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
	in.Granted = true
	for policy, says := range map[string]string{"park": "waits until a person", "refuse": "is refused here", "allow": "without a person's yes, but for", "": "waits until a person"} {
		in.Validation = policy
		got := level1(in)
		if !strings.Contains(got, says) || !strings.Contains(got, "they stand in the block GRANTS") {
			t.Errorf("%s: %q is not said:\n%s", policy, says, got)
		}
	}
	if strings.Contains(plain, "beforehand: they stand") {
		t.Error("the prompt mentions grants where there are none")
	}
	got := Level2(Level2Input{Grants: []*domain.Grant{&grant}})
	const line = "\n    - CREATE_DATA, UPDATE_DATA; only in zon_1; only on tol_1, tol_2; at most 3 in this run; until 2027-01-02T03:04:05Z; with params that are valid for {\"maxProperties\":2}\n"
	if !strings.Contains(got, line) {
		t.Errorf("the grant is not said:\n%s", got)
	}
	used := grant
	if used.UsesInRun++; Level2(Level2Input{Grants: []*domain.Grant{&used}}) != got {
		t.Error("its uses change the prompt")
	}
	if strings.Contains(level1(level1Input(domain.Chat, domain.ProtocolNative)), "Who says yes") {
		t.Error("the prompt of a chat has an automation's policy")
	}
}

// Nothing that a workspace can write in its settings is part of level 1.
func TestLevel1HoldsNoWordsOfATenant(t *testing.T) {
	const words = "IGNORE-ALL-RULES"
	in := level1Input(domain.Run, domain.ProtocolJSON)
	in.Settings.Language, in.Granted = words, true
	in.Settings.PromptChunks = map[string]domain.ChunkChange{}
	for _, c := range Chunks() {
		plain, _ := Level1(in)
		in.Settings.PromptChunks[c.Name] = domain.ChunkChange{Text: new(words + " in " + c.Name)}
		if got, _ := Level1(in); strings.Contains(got, words) || len(got) > len(plain) {
			t.Errorf("with %s replaced level 1 has the tenant's words", c.Name)
		}
	}
	if got, rules := Level1(in); got != "" || len(rules) < 10 {
		t.Errorf("all is replaced, by %d rules, and level 1 is %q", len(rules), got)
	}
}
