package domain

import (
	"testing"
	"time"
)

func TestQuietHours(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		when, err := time.ParseInLocation("2006-01-02 15:04", text, paris)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	night, noon := &QuietHours{"22:00", "07:00"}, &QuietHours{"12:00", "13:30"}
	for _, c := range []struct {
		hours    *QuietHours
		now      string
		from, to string // "": not quiet
	}{
		{night, "2026-03-02 21:59", "", ""},
		{night, "2026-03-02 22:00", "2026-03-02 22:00", "2026-03-03 07:00"},
		{night, "2026-03-03 06:59", "2026-03-02 22:00", "2026-03-03 07:00"},
		{night, "2026-03-03 07:00", "", ""},
		{night, "2026-03-29 01:30", "2026-03-28 22:00", "2026-03-29 07:00"}, // the clocks change in this night
		{noon, "2026-03-02 11:59", "", ""},
		{noon, "2026-03-02 13:29", "2026-03-02 12:00", "2026-03-02 13:30"},
		{noon, "2026-03-02 13:30", "", ""},
		{nil, "2026-03-02 13:00", "", ""},
		{&QuietHours{"never", "07:00"}, "2026-03-02 06:00", "", ""},
	} {
		from, to, quiet := c.hours.Around(at(c.now).UTC(), paris)
		if quiet != (c.from != "") {
			t.Errorf("%v at %s: quiet %t", c.hours, c.now, quiet)
			continue
		}
		if quiet && (!from.Equal(at(c.from)) || !to.Equal(at(c.to))) {
			t.Errorf("%v at %s: from %s to %s", c.hours, c.now, from, to)
		}
	}
	for hours, want := range map[QuietHours]string{
		{"22:00", "07:00"}: "", {"24:00", "07:00"}: "/notifications/quiet_hours", {"22:00", ""}: "/notifications/quiet_hours",
		{"07:00", "07:00"}: "/notifications/quiet_hours/to",
	} {
		err := hours.Check()
		if invalid, _ := err.(*Error); (err == nil) != (want == "") || invalid != nil && invalid.Fields[0].Pointer != want {
			t.Errorf("%v: %v", hours, err)
		}
	}
}

func TestChunksOfSettings(t *testing.T) {
	off, on, text := false, true, "own"
	for _, c := range []struct {
		detail     string
		importance int
		change     *ChunkChange
		want       string // "": left out
	}{
		{"minimal", 1, nil, "built in"}, {"minimal", 2, nil, ""}, {"normal", 2, nil, "built in"}, {"normal", 3, nil, ""},
		{"full", 3, nil, "built in"}, {"unknown", 2, nil, "built in"},
		{"minimal", 3, &ChunkChange{Enabled: &on}, "built in"}, {"full", 1, &ChunkChange{Enabled: &off}, ""},
		{"minimal", 3, &ChunkChange{Text: &text}, "own"}, {"full", 1, &ChunkChange{Enabled: &off, Text: &text}, ""},
	} {
		s := Settings{PromptDetail: c.detail}
		if c.change != nil {
			s.PromptChunks = map[string]ChunkChange{"x": *c.change}
		}
		got, in := s.ChunkText(&Chunk{Name: "x", Importance: c.importance, Text: "built in"})
		if in != (c.want != "") || in && got != c.want {
			t.Errorf("%+v: %q, %t", c, got, in)
		}
	}
}

func TestReservations(t *testing.T) {
	price := Price{Input: 2, Output: 10}
	e := CallEstimate{MaxTokens: 1000, Price: func(u Usage) *float64 { return new(price.Cost(u)) }}
	if tokens, cost := e.Reserve(500); tokens != 1500 || cost != 0.011 {
		t.Errorf("%d tokens, %g", tokens, cost)
	}
	for name, unpriced := range map[string]CallEstimate{
		"no price": {MaxTokens: 10}, "a model without one": {MaxTokens: 10, Price: func(Usage) *float64 { return nil }},
	} {
		if tokens, cost := unpriced.Reserve(5); tokens != 15 || cost != 0 {
			t.Errorf("%s: %d tokens, %g", name, tokens, cost)
		}
	}
	spent := Spent{Day: "2026-03-02", Today: 1, ThisMonth: 2}
	if got := spent.Plus(0.1).Plus(0.2); !got.Same(Spent{Day: "2026-03-02", Today: 1.3, ThisMonth: 2.3, AutomationToday: 0.3}) {
		t.Errorf("%+v", got)
	}
	if spent.Same(spent.Plus(0.001)) || spent.Same(Spent{Day: "2026-03-03", Today: 1, ThisMonth: 2}) {
		t.Error("two that differ are the same")
	}
}

func TestUsageIsSummed(t *testing.T) {
	sum := Usage{InputTokens: 1, CacheReadTokens: 2, OutputTokens: 3, Cost: new(0.5)}.Plus(Usage{InputTokens: 10, CacheWriteTokens: 20, ReasoningTokens: 5})
	if sum.Total() != 36 || sum.ReasoningTokens != 5 || *sum.Cost != 0.5 {
		t.Errorf("%+v", sum)
	}
	if none := (Usage{InputTokens: 1}).Plus(Usage{}); none.Cost != nil {
		t.Errorf("a cost of nothing: %g", *none.Cost)
	}
}

// What a session's patch does not name stays; a bound can be removed.
func TestPatchOfASession(t *testing.T) {
	s := &Session{Name: "old", Pinned: true, ProviderID: "prv_1", Budgets: Budgets{MaxTokensPerRound: new(int64(5)), MaxCostPerRound: new(1.0)}}
	SessionPatch{Name: new("new"), ProviderID: new(""), Budgets: BudgetsPatch{MaxTokensPerRound: new(*int64), MaxCostPerSession: new(new(3.0))}}.Apply(s)
	b := s.Budgets
	if s.Name != "new" || !s.Pinned || s.ProviderID != "" || b.MaxTokensPerRound != nil || *b.MaxCostPerRound != 1 || *b.MaxCostPerSession != 3 {
		t.Errorf("%+v, %+v", s, b)
	}
}
