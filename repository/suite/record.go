package suite

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/reports"
)

// call is a call of the AI by a session that is not stored yet.
func (w *world) call(s *domain.Session, number int, at time.Time) *domain.Roundtrip {
	return &domain.Roundtrip{
		ID: w.newID(domain.PrefixRoundtrip), WorkspaceID: s.WorkspaceID, SessionID: s.ID, SessionType: s.Type,
		AutomationID: s.AutomationID, RoundID: "rnd_1", Payer: []string{"", "ada", "grace"}[number%3], MessageID: "msg_1", Number: number, Reason: "USER_MESSAGE",
		ProviderID: "prv_1", ProviderKind: "demo", Model: "m", Purpose: "answer", Outcome: domain.OutcomeAnswered,
		PromptHash: "h", PromptSize: domain.PromptSize{PromptTokens: 7, Rules: 1, Commands: 2, Data: 3, History: 1, Reused: number % 5},
		Streamed: true, StartedAt: at, FirstTokenAt: new(at.Add(time.Second)), EndedAt: at.Add(2 * time.Second),
	}
}

// timeline: the three tables of a session come as one list in order; what is too long
// is left out and named; a page never passes over what is written meanwhile.
func timeline(w *world) {
	s, ctx := w.stored("first"), w.Context()
	other := w.stored("other")
	var want []string
	step := func(of *domain.Session, i int, round string) {
		at := T0.Add(time.Duration(i) * time.Minute)
		c := w.change(of)
		x := w.move(c, of, domain.Phases[i%len(domain.Phases)], fmt.Sprintf("Event%d", i))
		x.At, x.RoundID = at, round
		r := w.call(of, i, at)
		r.RoundID = round
		e := execution(of, fmt.Sprintf("exe_%s_%03d", of.Name, i), "msg_1", i, domain.ExecSuccess)
		// Planned before the transition, run after it.
		e.CreatedAt, e.StartedAt, e.EndedAt, e.RoundID = at.Add(-time.Second), new(at.Add(time.Second)), new(at.Add(2*time.Second)), round
		if i == 2 {
			e.Status, e.StartedAt = domain.ExecCancelled, nil // called off
		}
		if i == 3 {
			e.Result, e.Text = json.RawMessage(`"`+strings.Repeat("é", 5000)+`"`), strings.Repeat("ü", 5000)
		}
		c.Roundtrips, c.Executions = []*domain.Roundtrip{r}, []*domain.Execution{e}
		w.ok(w.Commit(ctx, c))
		if of == s {
			want = append(want, fmt.Sprintf("transition Event%d", i), "roundtrip "+r.ID, "execution "+e.ID)
		}
	}
	for i := 1; i <= 6; i++ {
		step(s, i, fmt.Sprintf("rnd_%d", i%2))
		step(other, i, "rnd_1")
	}
	read := func(f reports.TimelineFilter, between func()) (got []string, all []reports.RecordLine) {
		for {
			page, next, err := w.Records.Timeline(ctx, s.WorkspaceID, s.ID, f)
			w.ok(err)
			for _, l := range page {
				got, all = append(got, lineOf(l)), append(all, l)
			}
			if len(page) > f.Limit || next == "" {
				return got, all
			}
			f.Cursor = next
			between()
		}
	}
	none := func() {}
	for limit := 1; limit <= 20; limit++ {
		got, _ := read(reports.TimelineFilter{Limit: limit}, none)
		w.equal(got, want, fmt.Sprintf("in pages of %d", limit))
	}
	got, _ := read(reports.TimelineFilter{Limit: 4, RoundID: "rnd_0"}, none)
	w.equal(got, slices.Concat(want[3:6], want[9:12], want[15:18]), "one round")
	got, _ = read(reports.TimelineFilter{Limit: 4, Kinds: []reports.RecordKind{reports.RecordExecution}}, none)
	w.equal(len(got), 6, "executions alone")

	_, lines := read(reports.TimelineFilter{Limit: 50}, none)
	long := lines[8]
	slices.Sort(long.Cut)
	w.equal([]any{long.Cut, len(long.Execution.Result), len([]rune(long.Execution.Text)), string(long.Execution.Params)},
		[]any{[]string{"result", "text"}, 0, 4000, `{ "a" :1.0 }`}, "a long execution")
	w.equal(lines[1].Roundtrip.PromptHash+string(lines[1].Roundtrip.SessionType), "hCHAT", "a call")
	w.equal(lines[1].Roundtrip.PromptSize, domain.PromptSize{PromptTokens: 7, Rules: 1, Commands: 2, Data: 3, History: 1, Reused: 1}, "its prompt")
	_, lines = read(reports.TimelineFilter{Limit: 50, Whole: true}, none)
	w.equal([]int{len(lines[8].Cut), len([]rune(lines[8].Execution.Text))}, []int{0, 5000}, "the whole of it")

	next := 7
	got, _ = read(reports.TimelineFilter{Limit: 2}, func() {
		if next < 12 {
			step(s, next, "rnd_1")
			next++
		}
	})
	w.equal(got, want, "while more is written")

	for _, cursor := range []string{"!", "bm9uZQ", "e30"} {
		_, _, err := w.Records.Timeline(ctx, s.WorkspaceID, s.ID, reports.TimelineFilter{Cursor: cursor})
		w.code(err, domain.CodeInvalid)
	}
	_, _, err := w.Records.Timeline(ctx, "other", s.ID, reports.TimelineFilter{})
	w.code(err, domain.CodeNotFound)
}

func lineOf(l reports.RecordLine) string {
	switch l.Kind {
	case reports.RecordTransition:
		return "transition " + l.Transition.Event
	case reports.RecordRoundtrip:
		return "roundtrip " + l.Roundtrip.ID
	default:
		return "execution " + l.Execution.ID
	}
}

// usage: however calls are grouped, bounded and paged, the sums are those of a plain
// computation; in a time zone whose clocks change, with days that begin at four.
func usage(w *world) {
	random := rand.New(rand.NewPCG(7, 11))
	ctx := w.Context()
	settings, err := w.Workspaces.UpdateSettings(ctx, domain.DefaultWorkspace, people.SettingsPatch{Fields: []byte(`{"time_zone":"Europe/Paris","day_start_hour":4}`)})
	w.ok(err)
	calendar, err := calendar.Of(&settings.Settings)
	w.ok(err)
	w.ok(w.Providers.InsertProvider(ctx, &outside.Provider{ID: "prv_1", WorkspaceID: domain.DefaultWorkspace, Name: "Mine", Kind: "demo", Config: json.RawMessage(`{}`), Version: 1, CreatedAt: T0, UpdatedAt: T0}))
	nightly, dropped := w.automation("Nightly", nil), w.automation("Dropped", nil)
	dropped.Enabled, dropped.NextAt, dropped.DeletedAt = false, nil, new(T0)
	w.ok(w.Commit(ctx, &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: T0, Rows: []domain.Row{automation.Write{Automation: dropped}}}))
	runOf := func(automationID string) func(*domain.Session) {
		return func(s *domain.Session) { s.Type, s.AutomationID = domain.Run, automationID }
	}
	sessions := []*domain.Session{
		w.stored("one"), w.stored("two", runOf(nightly.ID)), w.stored("three", runOf(dropped.ID)), w.stored("four", runOf("aut_gone")),
	}
	var all []*domain.Roundtrip
	for i := range 300 {
		s := sessions[random.IntN(len(sessions))]
		// Around both changes of the clocks, and a long gap in between.
		start := []time.Time{time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 18, 0, 0, 0, 0, time.UTC)}[random.IntN(2)]
		r := w.call(s, i, start.Add(rand.N(14*24*time.Hour)).Truncate(time.Microsecond))
		r.Model, r.Purpose = []string{"a", "b", "c"}[random.IntN(3)], []string{"answer", "compaction"}[random.IntN(2)]
		r.ProviderID, r.Outcome = []string{"prv_1", "prv_gone", ""}[random.IntN(3)], []string{domain.OutcomeAnswered, domain.OutcomeAnswered, domain.OutcomeCut, "network"}[random.IntN(4)]
		if r.Outcome == domain.OutcomeAnswered {
			r.Usage = domain.Usage{InputTokens: random.Int64N(1e6), CacheReadTokens: random.Int64N(1e5), CacheWriteTokens: random.Int64N(1e4), OutputTokens: random.Int64N(1e5), ReasoningTokens: random.Int64N(1e4)}
		}
		if r.Model == "a" && r.Outcome == domain.OutcomeAnswered {
			r.Usage.Cost = new(random.Float64())
		}
		all = append(all, r)
	}
	for some := range slices.Chunk(all, 50) {
		c := w.change(sessions[0])
		c.Roundtrips = some
		w.ok(w.Commit(ctx, c))
	}
	far := w.call(sessions[0], 1, T0)
	far.WorkspaceID = "other"
	w.ok(w.Commit(ctx, &domain.Change{WorkspaceID: "other", At: T0, Roundtrips: []*domain.Roundtrip{far}}))

	for _, group := range reports.UsageGroups {
		for range 6 {
			f := reports.UsageFilter{GroupBy: group, Limit: 1 + random.IntN(20)}
			if random.IntN(2) == 0 {
				f.Since = all[random.IntN(len(all))].EndedAt
			}
			if random.IntN(2) == 0 {
				f.Until = all[random.IntN(len(all))].EndedAt
			}
			if random.IntN(3) == 0 {
				f.SessionID = sessions[random.IntN(len(sessions))].ID
			}
			want := plainUsage(all, f, calendar)
			var got []reports.UsageRow
			for page := f; ; {
				rows, next, err := w.Records.Usage(ctx, domain.DefaultWorkspace, page)
				w.ok(err)
				got = append(got, rows...)
				if page.Cursor = next; next == "" {
					break
				}
			}
			w.sameUsage(group, got, want)
		}
	}
	for group, names := range map[reports.UsageGroup]map[string]string{
		reports.UsageByProvider: {"prv_1": "Mine", "prv_gone": "", "": ""},
		// The cost of a deleted automation is still reported under its name.
		reports.UsageByAutomation: {nightly.ID: "Nightly", dropped.ID: "Dropped", "aut_gone": "", "": ""},
	} {
		rows, _, err := w.Records.Usage(ctx, domain.DefaultWorkspace, reports.UsageFilter{GroupBy: group})
		w.ok(err)
		labels := map[string]string{}
		for _, row := range rows {
			labels[row.Key] = row.Label
		}
		w.equal(labels, names, fmt.Sprintf("the names by %s", group))
	}
	_, next, err := w.Records.Usage(ctx, domain.DefaultWorkspace, reports.UsageFilter{GroupBy: reports.UsageByModel, Limit: 1})
	w.ok(err)
	_, _, err = w.Records.Usage(ctx, domain.DefaultWorkspace, reports.UsageFilter{GroupBy: reports.UsageByType, Cursor: next})
	w.code(err, domain.CodeInvalid)
	_, _, err = w.Records.Usage(ctx, "nowhere", reports.UsageFilter{GroupBy: reports.UsageByDay})
	w.code(err, domain.CodeNotFound)
}

// plainUsage computes by hand what the database is asked for.
func plainUsage(all []*domain.Roundtrip, f reports.UsageFilter, calendar calendar.Calendar) map[string]reports.UsageRow {
	sums := map[string]reports.UsageRow{}
	for _, r := range all {
		if f.SessionID != "" && r.SessionID != f.SessionID || r.EndedAt.Before(f.Since) || !f.Until.IsZero() && !r.EndedAt.Before(f.Until) {
			continue
		}
		y, m, d := calendar.Day(r.EndedAt)
		key := map[reports.UsageGroup]string{
			reports.UsageByDay: fmt.Sprintf("%04d-%02d-%02d", y, m, d), reports.UsageByModel: r.Model, reports.UsageByProvider: r.ProviderID,
			reports.UsageBySession: r.SessionID, reports.UsageByAutomation: r.AutomationID, reports.UsageByPurpose: r.Purpose, reports.UsageByType: string(r.SessionType), reports.UsageByUser: r.Payer,
		}[f.GroupBy]
		sum := sums[key]
		sum.Key = key
		sum.Calls++
		sum.Usage = sum.Usage.Plus(r.Usage)
		sum.PromptTokens, sum.PromptReused = sum.PromptTokens+int64(r.PromptTokens), sum.PromptReused+int64(r.Reused)
		if r.Outcome == "network" {
			sum.Errors++
		}
		if r.Usage.Cost == nil && r.Usage.Total() > 0 {
			sum.Unpriced++
		}
		sums[key] = sum
	}
	return sums
}

func (w *world) sameUsage(group reports.UsageGroup, got []reports.UsageRow, want map[string]reports.UsageRow) {
	w.Helper()
	if len(got) != len(want) {
		w.Fatalf("by %s: %d groups, want %d", group, len(got), len(want))
	}
	for i, row := range got {
		x := want[row.Key]
		if (row.Usage.Cost == nil) != (x.Usage.Cost == nil) || row.Usage.Cost != nil && math.Abs(*row.Usage.Cost-*x.Usage.Cost) > 1e-9 {
			w.Errorf("by %s, %s: the cost is not that of the plain sum", group, row.Key)
		}
		row.Usage.Cost, x.Usage.Cost, row.Label = nil, nil, ""
		w.equal(row, x, fmt.Sprintf("by %s, %s", group, row.Key))
		if i > 0 && (group == reports.UsageByDay && got[i-1].Key <= row.Key || group != reports.UsageByDay && got[i-1].Usage.Total() < row.Usage.Total()) {
			w.Errorf("by %s: %s comes after %s", group, row.Key, got[i-1].Key)
		}
	}
}
