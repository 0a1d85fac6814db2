package branch

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// recordFrom reads a record: "1 user", "1 ai", "2/1 ai gone" (round 2, a try at the question of
// round 1, superseded), in order; ids count from m1.
func recordFrom(lines ...string) []*domain.Message {
	var out []*domain.Message
	for i, line := range lines {
		words := strings.Fields(line)
		round, of, _ := strings.Cut(words[0], "/")
		m := &domain.Message{ID: "m" + string(rune('1'+i)), RoundID: round, RetryOf: of, Seq: int64(i + 1), Superseded: slices.Contains(words, "gone")}
		system := map[string]domain.SystemType{
			"data": domain.SystemDataAdded, "result": domain.SystemExternalResult, "failed": domain.SystemNetworkError, "done": domain.SystemActionsExecuted,
			"summary": domain.SystemContextSummary, "limit": domain.SystemLimitReached, "guidance": domain.SystemGuidance,
		}[words[1]]
		switch words[1] {
		case "user":
			m.Sender, m.Rich = domain.SenderUser, &domain.RichContent{LinearText: m.ID}
		case "refers":
			m.Sender, m.Rich = domain.SenderUser, &domain.RichContent{LinearText: m.ID, Commands: []domain.Command{{Type: "TOOL_DATA"}}}
		case "reply":
			m.Sender, m.Text, m.AnswersCall = domain.SenderUser, "yes", "call_1"
		case "ai":
			m.Sender, m.AI = domain.SenderAI, &domain.AIMessage{PreText: m.ID}
		default:
			m.Sender, m.System = domain.SenderSystem, &domain.SystemMessage{Type: system}
		}
		out = append(out, m)
	}
	return out
}

func idsOf(messages []*domain.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.ID)
	}
	return strings.Join(out, " ")
}

// Other words keep the files that were shown with the question, each once, and no more than a
// message may have.
func TestOtherWordsKeepTheFiles(t *testing.T) {
	file := func(id string) domain.Segment {
		return domain.Segment{Type: domain.SegmentFile, File: &domain.FileRef{ID: id, Name: id + ".png"}, From: domain.From(domain.OriginFile, id+".png")}
	}
	asked := []*domain.Message{
		{Sender: domain.SenderUser, Rich: &domain.RichContent{Segments: []domain.Segment{{Type: domain.SegmentText, Text: "Look."}, file("a"), file("b")}}},
		{Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: "Where?"}},
		{Sender: domain.SenderUser, Rich: &domain.RichContent{Segments: []domain.Segment{{Type: domain.SegmentText, Text: "Here."}, file("a")}}},
	}
	words := domain.RichContent{Segments: []domain.Segment{{Type: domain.SegmentText, Text: "What is it?"}}, LinearText: "What is it?"}
	got := words.WithFilesOf(asked)
	if len(got.Segments) != 3 || got.LinearText != "What is it? [a.png] [b.png]" || got.Segments[2].File.ID != "b" ||
		!got.Segments[1].From.Origin.Outside() {
		t.Errorf("it says %+v", got)
	}
	if len(words.Segments) != 1 || words.LinearText != "What is it?" {
		t.Errorf("the words that were given say %+v", words)
	}
	many := &domain.Message{Sender: domain.SenderUser, Rich: &domain.RichContent{}}
	for i := range domain.MaxMessageFiles + 5 {
		many.Rich.Segments = append(many.Rich.Segments, file(string(rune('a'+i))))
	}
	if kept := words.WithFilesOf([]*domain.Message{many}); len(kept.Files()) != domain.MaxMessageFiles {
		t.Errorf("%d files are kept", len(kept.Files()))
	}
}

// What leaves the prompt when the last round is run again, in the same words and in others.
func TestPlanRetry(t *testing.T) {
	for name, c := range map[string]struct {
		record        []*domain.Message
		same, other   string
		goesOn, words string
	}{
		"an answer":                     {recordFrom("0 user", "0 ai", "1 user", "1 ai"), "m4", "m3 m4", "", ""},
		"commands":                      {recordFrom("1 user", "1 ai", "1 done", "1 ai"), "m2 m3 m4", "m1 m2 m3 m4", "", ""},
		"a second try":                  {recordFrom("1 user", "1 ai gone", "2/1 ai"), "m3", "m1 m3", "", ""},
		"what it refers to":             {recordFrom("1 refers", "1 data", "1 ai", "1 data", "1 ai"), "m3 m4 m5", "m1 m2 m3 m4 m5", "", ""},
		"words that joined it":          {recordFrom("1 user", "1 ai", "1 data", "1 refers", "1 data", "1 ai"), "m2 m3 m6", "m1 m2 m3 m4 m5 m6", "", ""},
		"a question and its reply":      {recordFrom("1 user", "1 ai", "1 reply", "1 ai"), "m2 m3 m4", "m1 m2 m3 m4", "", ""},
		"a result from outside":         {recordFrom("1 user", "1 ai", "1 done", "1 result"), "m2 m3", "m1 m2 m3", "", ""},
		"a summary before the answer":   {recordFrom("1 user", "1 summary", "1 ai"), "m3", "m1 m2 m3", "", ""},
		"a summary within it":           {recordFrom("1 user", "1 ai", "1 summary", "1 ai"), "m2 m3 m4", "m1 m2 m3 m4", "", ""},
		"it broke off":                  {recordFrom("1 user", "1 ai", "1 data", "1 failed"), "", "m1 m2 m3 m4", "1", ""},
		"a second try broke off":        {recordFrom("1 user", "1 ai gone", "2/1 failed"), "", "m1 m3", "2", ""},
		"it came to a limit":            {recordFrom("1 user", "1 ai", "1 limit"), "m2 m3", "m1 m2 m3", "", ""},
		"other words, then those again": {recordFrom("1 user", "1 ai", "2/1 user gone", "2/1 ai gone"), "m1 m2", "m1 m2", "", "m1"},
		"the try after other words":     {recordFrom("1 user gone", "1 ai gone", "2/1 user", "2/1 ai"), "m4", "m3 m4", "", ""},
		"guidance for what remains":     {recordFrom("1 user", "1 ai gone", "2/1 guidance", "2/1 ai"), "m3 m4", "m1 m3 m4", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			same := PlanRetry(c.record, &domain.RetryRequest{})
			other := PlanRetry(c.record, &domain.RetryRequest{Message: &domain.NewMessage{}})
			if got := idsOf(same.Superseded); got != c.same {
				t.Errorf("the same words supersede %q, want %q", got, c.same)
			}
			if got := idsOf(other.Superseded); got != c.other {
				t.Errorf("other words supersede %q, want %q", got, c.other)
			}
			if same.RoundID != c.goesOn || other.RoundID != "" {
				t.Errorf("round %q continues, want %q", same.RoundID, c.goesOn)
			}
			if words := same.Words; (words == nil) != (c.words == "") || words != nil && words.ID != c.words {
				t.Errorf("said once more: %+v, want %q", words, c.words)
			}
		})
	}
	for name, record := range map[string][]*domain.Message{"nothing": nil, "brought along": recordFrom("- user")} {
		if name == "brought along" {
			record[0].RoundID = ""
		}
		if plan := PlanRetry(record, &domain.RetryRequest{}); plan != nil {
			t.Errorf("%s: %+v", name, plan)
		}
	}
}

// Choosing brings back all that belongs to a try, and takes the others out.
func TestPlanChoice(t *testing.T) {
	for name, c := range map[string]struct {
		record              []*domain.Message
		id                  string
		superseded, current string
	}{
		"the first":                    {recordFrom("1 user", "1 ai gone", "1 done gone", "1 ai gone", "2/1 ai"), "m2", "m5", "m2 m3 m4"},
		"the current one":              {recordFrom("1 user", "1 ai gone", "2/1 ai"), "m3", "", ""},
		"one of three":                 {recordFrom("1 user", "1 ai gone", "2/1 ai gone", "3/1 ai"), "m3", "m4", "m3"},
		"in other words":               {recordFrom("1 user gone", "1 ai gone", "2/1 user", "2/1 ai"), "m2", "m3 m4", "m1 m2"},
		"those words again":            {recordFrom("1 user", "1 ai", "2/1 user gone", "2/1 ai gone", "3/1 ai gone"), "m5", "m1 m2", "m3 m5"},
		"what came from outside stays": {recordFrom("1 user", "1 ai gone", "2/1 ai", "2/1 result"), "m2", "m3", "m2"},
		"with what its words refer to": {recordFrom("1 refers gone", "1 data gone", "1 ai gone", "2/1 ai gone", "3/1 user", "3/1 ai"), "m4", "m5 m6", "m1 m2 m4"},
		"the words themselves":         {recordFrom("1 user gone", "1 ai gone", "2/1 user", "2/1 ai"), "m1", "m3 m4", "m1 m2"},
		"not of the last round":        {recordFrom("0 user", "0 ai", "1 user", "1 ai"), "m2", "none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan := PlanChoice(c.record, c.id)
			if c.superseded == "none" {
				if plan != nil {
					t.Errorf("%+v", plan)
				}
				return
			}
			if got := idsOf(plan.Superseded); got != c.superseded {
				t.Errorf("superseded %q, want %q", got, c.superseded)
			}
			if got := idsOf(plan.Current); got != c.current {
				t.Errorf("current %q, want %q", got, c.current)
			}
		})
	}
}
