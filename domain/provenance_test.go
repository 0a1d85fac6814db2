package domain

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var allOrigins = []Origin{OriginPerson, OriginModel, OriginData, OriginMCP, OriginHTTP, OriginTask, OriginWebhook, OriginFile}

func TestWhatIsOutside(t *testing.T) {
	outside := []Origin{OriginMCP, OriginHTTP, OriginTask, OriginWebhook, OriginFile}
	for _, o := range append(slices.Clone(allOrigins), "", "something new") {
		if want := slices.Contains(outside, o) || !slices.Contains(allOrigins, o); o.Outside() != want {
			t.Errorf("%q is outside: %v", o, o.Outside())
		}
	}
	for _, o := range outside {
		reason := (&Settings{}).OutsideReason((*Taint)(nil).With(Provenance{Origin: o, Source: "the source"}))
		if !strings.Contains(reason.Text, "the source") {
			t.Errorf("no reason can name %q: %s", o, reason.Text)
		}
	}
}

// Who names a source may be the one that must not be trusted.
func TestASourceIsOneBoundedLine(t *testing.T) {
	from := From(OriginMCP, "a\nb\u202e\x00 "+strings.Repeat("é", 500))
	if strings.ContainsAny(from.Source, "\n\x00\u202e") || len(from.Source) > 220 || !strings.HasPrefix(from.Source, "a") {
		t.Errorf("the source is %q", from.Source)
	}
}

func TestWhatTheJournalKeepsOfACommand(t *testing.T) {
	for name, c := range map[string]struct {
		spec   CommandSpec
		origin Origin // "": nothing is kept
		guards bool
	}{
		"built in":            {CommandSpec{Source: SourceBuiltin, Effect: EffectNonIdempotent}, "", false},
		"read by HTTP":        {CommandSpec{Source: SourceHTTP, Effect: EffectRead}, OriginHTTP, false},
		"read with approval":  {CommandSpec{Source: SourceHTTP, Effect: EffectRead, RequireValidation: true}, OriginHTTP, true},
		"put by HTTP":         {CommandSpec{Source: SourceHTTP, Effect: EffectIdempotent}, OriginHTTP, true},
		"posted by HTTP":      {CommandSpec{Source: SourceHTTP, Effect: EffectNonIdempotent}, OriginHTTP, true},
		"of an MCP server":    {CommandSpec{Source: SourceMCP, Effect: EffectNonIdempotent}, OriginMCP, true},
		"trusted":             {CommandSpec{Source: SourceMCP, Effect: EffectNonIdempotent, Trusted: true}, OriginMCP, false},
		"long-running":        {CommandSpec{Source: SourceLongRunning, Effect: EffectNonIdempotent}, OriginTask, true},
		"an agent":            {CommandSpec{Source: SourceAgent, Effect: EffectNonIdempotent}, OriginModel, false},
		"of a source to come": {CommandSpec{Source: "telepathy", Effect: EffectIdempotent}, OriginTask, true},
		"of an unsaid effect": {CommandSpec{Source: SourceHTTP}, OriginHTTP, true},
	} {
		c.spec.Name, c.spec.ConnectorName = "BANK.PAY", "My bank"
		foreign := c.spec.Foreign()
		if (foreign == nil) != (c.origin == "") {
			t.Errorf("%s: %+v is kept", name, foreign)
			continue
		}
		if foreign != nil && (foreign.From != Provenance{Origin: c.origin, Source: "BANK.PAY (My bank)"}) {
			t.Errorf("%s: from %+v", name, foreign.From)
		}
		tainted := (*Taint)(nil).With(Provenance{Origin: OriginWebhook, Source: "Alerts"})
		if got := tainted.Guards(&Execution{Foreign: foreign}); got != c.guards {
			t.Errorf("%s: guarded %v", name, got)
		}
		if (*Taint)(nil).Guards(&Execution{Foreign: foreign}) {
			t.Errorf("%s: guarded with nothing read", name)
		}
	}
}

func TestWhatIsSaidOfTasksComesFromOutside(t *testing.T) {
	tasks := CommandSpec{Name: "TASKS", Source: SourceBuiltin, Kind: KindQuery, Effect: EffectRead}
	if foreign := tasks.Foreign(); foreign == nil || foreign.From.Origin != OriginTask || foreign.Acts {
		t.Errorf("TASKS is %+v", foreign)
	}
}

// What never left has nothing from outside; what did, may have.
func TestWhereAResultComesFrom(t *testing.T) {
	foreign := &Foreign{From: Provenance{Origin: OriginHTTP, Source: "WEB.READ"}}
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		execution Execution
		outside   bool
	}{
		"done":             {Execution{Foreign: foreign, Status: ExecSuccess, StartedAt: &at}, true},
		"failed there":     {Execution{Foreign: foreign, Status: ExecFailed, StartedAt: &at}, true},
		"still running":    {Execution{Foreign: foreign, Status: ExecPending, StartedAt: &at}, false},
		"answer lost":      {Execution{Foreign: foreign, Status: ExecUnknown, StartedAt: &at}, false},
		"from before":      {Execution{Foreign: foreign, Status: ExecCached}, true},
		"failed here":      {Execution{Foreign: foreign, Status: ExecFailed}, false},
		"not approved":     {Execution{Foreign: foreign, Status: ExecCancelled}, false},
		"under way":        {Execution{Foreign: foreign, Status: ExecStarted, StartedAt: &at}, false},
		"built in":         {Execution{Status: ExecSuccess, StartedAt: &at}, false},
		"built in, cached": {Execution{Status: ExecCached}, false},
	} {
		if from := ResultOf(&c.execution, "").From; (from != nil) != c.outside {
			t.Errorf("%s: its result is from %v", name, from)
		}
	}
}

func TestPartsFromOutside(t *testing.T) {
	hook, page := Provenance{Origin: OriginWebhook, Source: "Alerts"}, Provenance{Origin: OriginHTTP, Source: "WEB.READ"}
	rich := &RichContent{Segments: []Segment{
		{Text: "mine"}, {Text: "yours", From: &hook}, {Text: "ours", From: &Provenance{Origin: OriginData, Source: "tol_1"}},
	}}
	results := &SystemMessage{Type: SystemDataAdded, CommandResults: []CommandResult{{}, {From: &page}}}
	for name, c := range map[string]struct {
		message Message
		want    []Provenance
	}{
		"a webhook":       {Message{Rich: rich}, []Provenance{hook}},
		"a result":        {Message{System: results}, []Provenance{page}},
		"excluded":        {Message{System: results, ExcludeFromPrompt: true}, nil},
		"never in prompt": {Message{System: &SystemMessage{Type: SystemNetworkError, CommandResults: results.CommandResults}}, nil},
		"plain":           {Message{Text: "hello"}, nil},
	} {
		if got := c.message.OutsideParts(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := TaintOf([]*Message{{Rich: rich}, {System: results}}); got.Parts != 2 || !slices.Equal(got.Sources, []Provenance{hook, page}) {
		t.Errorf("both together: %+v", got)
	}
	if TaintOf([]*Message{{Text: "hello"}}) != nil {
		t.Error("words of a person count as words from outside")
	}
}

func TestTaintIsBoundedAndNeverChangedInPlace(t *testing.T) {
	var taint *Taint
	if taint.With() != nil || taint.Join(nil) != nil || taint.Provenance("an agent") != nil {
		t.Error("nothing read is something")
	}
	first := taint.With(Provenance{Origin: OriginWebhook, Source: "0"})
	grown := first
	for i := range 1000 {
		grown = grown.With(Provenance{Origin: OriginHTTP, Source: string(rune('a' + i%10))})
	}
	if len(first.Sources) != 1 || first.Parts != 1 {
		t.Errorf("the first was changed: %+v", first)
	}
	if grown.Parts != 1001 || len(grown.Sources) != maxTaintSources || grown.Sources[0].Source != "0" {
		t.Errorf("a thousand parts: %+v", grown)
	}
	agent := first.Join(grown)
	if agent.Parts != 1002 || agent.Sources[0].Source != "0" || len(agent.Sources) != maxTaintSources {
		t.Errorf("joined: %+v", agent)
	}
	if from := agent.Provenance("AGENT.SCOUT"); from.Origin != OriginWebhook || from.Source != "AGENT.SCOUT, which read 0" {
		t.Errorf("what the agent says is from %+v", from)
	}
}

func TestTheReasonNamesTheSources(t *testing.T) {
	var taint *Taint
	taint = taint.With(Provenance{Origin: OriginWebhook, Source: "Alerts"}, Provenance{Origin: OriginHTTP, Source: "WEB.READ (News)"}, Provenance{Origin: OriginHTTP, Source: "WEB.LIST (News)"})
	for language, want := range map[string]string{
		"en": "Asked for in a round that read what came by the webhook of Alerts; what came from WEB.READ (News), WEB.LIST (News).",
		"fr": "Demandé dans un échange qui a lu ce qui est venu par le webhook de Alerts; ce qui est venu de WEB.READ (News), WEB.LIST (News).",
	} {
		s := Settings{Language: language}
		if got := s.OutsideReason(taint); got.Text != want || got.Level != LevelOutside {
			t.Errorf("%s: %q", language, got.Text)
		}
	}
	more := (&Settings{}).OutsideReason(taint.With(Provenance{Origin: OriginHTTP, Source: "WEB.READ (News)"}))
	if !strings.HasSuffix(more.Text, "(4 parts from outside in all).") {
		t.Errorf("more parts than sources: %q", more.Text)
	}
}

// What is described in every prompt counts once, and is named for as long as there is room.
func TestDescriptionsCountOnce(t *testing.T) {
	described := Provenance{Origin: OriginMCP, Source: "Web", Role: WordsDescription}
	taint := (*Taint)(nil).Including(described).Including(described, described)
	if taint.Parts != 1 || len(taint.Sources) != 1 {
		t.Errorf("the taint is %+v", taint)
	}
	for i := range 10 {
		taint = taint.Including(Provenance{Origin: OriginMCP, Source: string(rune('a' + i)), Role: WordsDescription})
	}
	if len(taint.Sources) != maxTaintSources || taint.Parts != maxTaintSources {
		t.Errorf("the taint is %+v", taint)
	}
	if (*Taint)(nil).Including() != nil {
		t.Error("nothing taints")
	}
}

func TestReasonsNameWhatWasNoAnswer(t *testing.T) {
	for want, p := range map[string]Provenance{
		"read how the calling program describes its tools.":                  *describedByClient(),
		"read earlier answers as the calling program tells them.":            *FromClientHistory(),
		"read descriptions of commands that no person has reviewed, of Web.": {Origin: OriginMCP, Source: "Web", Role: WordsDescription},
		"read what the calling program answered to get_weather.":             {Origin: OriginClient, Source: "get_weather"},
	} {
		taint := (*Taint)(nil).With(p)
		if got := (&Settings{}).OutsideReason(taint).Text; got != "Asked for in a round that "+want {
			t.Errorf("the reason is %q", got)
		}
		if from := taint.Provenance("the agent Finder"); from.Source == "the agent Finder, which read " || from.Role != "" {
			t.Errorf("its answer comes from %+v", from)
		}
	}
}
