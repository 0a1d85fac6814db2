package userdata

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
)

// sample is an entry as the plain computation knows it; value nil: it has no number.
type sample struct {
	at    time.Time
	value *float64
}

// plainStats computes what the database computes, slowly. Values are quarters, so that
// sums are exact in any order.
func plainStats(samples []sample, bucket string) userdata.Stats {
	s := userdata.Stats{Bucket: bucket}
	var sum float64
	for _, x := range samples { // by time
		if x.value == nil {
			continue
		}
		v := *x.value
		s.Count++
		sum += v
		if s.Min == nil || v < *s.Min {
			s.Min = &v
		}
		if s.Max == nil || v > *s.Max {
			s.Max = &v
		}
		s.Last = &v
	}
	if s.Count > 0 {
		s.Sum, s.Mean = &sum, new(sum/float64(s.Count))
	}
	return s
}

// firstDay is the first day of the day, week or month of an instant, read off a clock
// on the wall: what is before the hour at which a day begins belongs to the day before.
func firstDay(at time.Time, zone *time.Location, startHour int, week time.Weekday, by string) string {
	local := at.In(zone)
	day := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	if local.Hour() < startHour {
		day = day.AddDate(0, 0, -1)
	}
	switch by {
	case "week":
		for day.Weekday() != week {
			day = day.AddDate(0, 0, -1)
		}
	case "month":
		day = day.AddDate(0, 0, 1-day.Day())
	}
	return day.Format(time.DateOnly)
}

func sameStats(a, b userdata.Stats) bool {
	near := func(x, y *float64, exact bool) bool {
		if x == nil || y == nil {
			return x == y
		}
		return *x == *y || !exact && math.Abs(*x-*y) <= 1e-9*math.Max(1, math.Abs(*y))
	}
	return a.Bucket == b.Bucket && a.Count == b.Count && near(a.Min, b.Min, true) && near(a.Max, b.Max, true) &&
		near(a.Sum, b.Sum, true) && near(a.Last, b.Last, true) && near(a.Mean, b.Mean, false)
}

// calendars are places where clocks change in different ways, and days and weeks begin
// at different times.
var calendars = []struct {
	zone  string
	hour  int
	week  string
	start time.Weekday
	near  time.Time // a change of the clocks, or a turn of the year
}{
	{"Europe/Paris", 0, "monday", time.Monday, time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)},
	{"Europe/Paris", 2, "sunday", time.Sunday, time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)},
	{"America/New_York", 4, "sunday", time.Sunday, time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)},
	{"Australia/Lord_Howe", 2, "saturday", time.Saturday, time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC)},
	{"America/Havana", 0, "monday", time.Monday, time.Date(2026, 3, 8, 5, 0, 0, 0, time.UTC)},
	{"Asia/Kathmandu", 23, "wednesday", time.Wednesday, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
}

// TestStatisticsAreThoseOfAPlainComputation: random data in places with odd calendars;
// the whole and every day, week and month, through the API and as the AI asks.
func TestStatisticsAreThoseOfAPlainComputation(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Numbers"}`)
		for _, place := range calendars {
			s.Call("PATCH", "/v1/settings", map[string]any{"time_zone": place.zone, "day_start_hour": place.hour, "week_start_day": place.week}).Want(200)
			tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"goal","name":"`+place.zone+`"}`)
			samples := s.randomSamples(r, tool, place.near)
			loaded, err := time.LoadLocation(place.zone)
			if err != nil {
				t.Fatal(err)
			}
			for range 4 {
				from := place.near.Add(time.Duration(r.IntN(60*24)-30*24) * time.Hour / 2)
				until := from.Add(time.Duration(r.IntN(40*24)) * time.Hour)
				inside := slices.DeleteFunc(slices.Clone(samples), func(x sample) bool { return x.at.Before(from) || !x.at.Before(until) })
				period := "&from=" + url.QueryEscape(from.Format(time.RFC3339)) + "&until=" + url.QueryEscape(until.Format(time.RFC3339))
				s.compare(tool, "?field=progress"+period, []userdata.Stats{plainStats(inside, "")})
				for _, by := range []string{"day", "week", "month"} {
					s.compare(tool, "?group_by="+by+period, grouped(inside, func(at time.Time) string { return firstDay(at, loaded, place.hour, place.start, by) }))
				}
			}
			s.compareRelative(tool, samples, place.near, func(at time.Time, by string) string { return firstDay(at, loaded, place.hour, place.start, by) })
		}
	})
}

// randomSamples stores entries around an instant, and gives them by time.
func (s *server) randomSamples(r *rand.Rand, tool string, near time.Time) []sample {
	s.T.Helper()
	var samples []sample
	var entries []map[string]any
	for i := range 300 {
		spread := 30 * 24 * time.Hour
		if i%3 == 0 {
			spread = 6 * time.Hour
		}
		x := sample{at: near.Add(time.Duration(r.Int64N(int64(2*spread))) - spread).Truncate(time.Microsecond)}
		data := map[string]any{"text": "step"}
		if r.IntN(5) > 0 {
			x.value = new(float64(r.IntN(8000)-4000) / 4)
			data["progress"] = *x.value
		}
		samples = append(samples, x)
		entries = append(entries, map[string]any{"timestamp": x.at, "data": data})
	}
	s.Call("POST", "/v1/tools/"+tool+"/entries/batch", map[string]any{"entries": entries}).Want(201)
	slices.SortStableFunc(samples, func(a, b sample) int { return a.at.Compare(b.at) })
	return samples
}

// grouped are the statistics of each group that has numbers, in order.
func grouped(samples []sample, name func(time.Time) string) []userdata.Stats {
	groups := map[string][]sample{}
	var order []string
	for _, x := range samples {
		of := name(x.at)
		if groups[of] == nil {
			order = append(order, of)
		}
		groups[of] = append(groups[of], x)
	}
	slices.Sort(order)
	var all []userdata.Stats
	for _, of := range order {
		if stats := plainStats(groups[of], of); stats.Count > 0 {
			all = append(all, stats)
		}
	}
	return all
}

// compare holds the API's answer against the plain computation.
func (s *server) compare(tool, query string, want []userdata.Stats) {
	s.T.Helper()
	var got struct{ Data []userdata.Stats }
	if err := json.Unmarshal(s.Call("GET", "/v1/tools/"+tool+"/entries/stats"+query, nil).Want(200).Body, &got); err != nil {
		s.T.Fatal(err)
	}
	s.sameAll(query, got.Data, want)
}

func (s *server) sameAll(about string, got, want []userdata.Stats) {
	s.T.Helper()
	if !slices.EqualFunc(got, want, sameStats) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		s.T.Fatalf("%s:\n got %s\nwant %s", about, g, w)
	}
}

// compareRelative asks as TOOL_STATS does, for the day, week and month of an instant.
func (s *server) compareRelative(tool string, samples []sample, at time.Time, name func(time.Time, string) string) {
	s.T.Helper()
	w, err := s.Parts.Store.Workspaces.Workspace(s.T.Context(), domain.DefaultWorkspace)
	if err != nil {
		s.T.Fatal(err)
	}
	env := data.EnvOf(w, time.Now(), ids.New)
	env.Reference = at
	for by, unit := range map[string]string{"day": "0_DAY", "week": "0_WEEK", "month": "0_MONTH"} {
		inside := slices.DeleteFunc(slices.Clone(samples), func(x sample) bool { return name(x.at, by) != name(at, by) })
		got, err := data.NewRules().Stats(s.T.Context(), s.Parts.Store.ReadData(w.ID), env, userdata.StatsQuery{
			ToolID: tool, Field: "progress", Period: calendar.Period{Relative: unit}, GroupBy: "day",
		})
		if err != nil {
			s.T.Fatal(err)
		}
		s.sameAll(unit, []userdata.Stats{got.Total}, []userdata.Stats{plainStats(inside, "")})
		s.sameAll(unit+" by day", got.Groups, grouped(inside, func(at time.Time) string { return name(at, "day") }))
	}
}

// TestStatisticsOfWhatHasNoSum: numbers near the end of what there is are no reason to
// fail.
func TestStatisticsOfWhatHasNoSum(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Numbers"}`)
		tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Huge"}`)
		s.Call("POST", "/v1/tools/"+tool+"/entries/batch", `{"entries":[{"data":{"value":1.7e308}},{"data":{"value":1.7e308}},{"data":{"value":2}}]}`).Want(201)
		got := s.Call("GET", "/v1/tools/"+tool+"/entries/stats", nil).Want(200)
		if got.At("data.0.count") != 1.0 || got.At("data.0.sum") != 2.0 {
			t.Errorf("%s", got.Body)
		}
	})
}

// TestAToolTypeWithManyEntries: 100,000 entries are checked in a moment, a page at a
// time.
func TestAToolTypeWithManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("it stores 100,000 entries")
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("POST", "/v1/tool-types", `{"id":"mood","name":"Mood","config_schema":{"type":"object"},"entry_schema":{"type":"object","properties":{"value":{"type":"integer"}}}}`).Want(201)
	zone := s.made("/v1/zones", `{"name":"Mind"}`)
	tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"mood","name":"Mood"}`)
	now := time.Now().UTC()
	_, err := s.Parts.Store.WriteData(t.Context(), domain.DefaultWorkspace, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		var entries []userdata.Entry
		for i := range 100_000 {
			entries = append(entries, userdata.Entry{ID: fmt.Sprintf("ent_%06d", i), ToolID: tool, Timestamp: now.Add(time.Duration(i) * time.Second), Data: json.RawMessage(fmt.Sprintf(`{"value":%d}`, i)), CreatedAt: now, UpdatedAt: now})
		}
		return nil, d.InsertEntries(ctx, entries)
	})
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	misfit := s.Call("PATCH", "/v1/tool-types/mood", `{"entry_schema":{"type":"object","properties":{"value":{"type":"integer","minimum":50000}}}}`).Problem(409, "tool_type_misfit")
	t.Logf("100,000 entries were checked in %s", time.Since(started))
	if got := len(misfit.List("errors")); got != 10 || misfit.Str("detail")[:30] != "0 configs and 50000 entries do" {
		t.Errorf("%s", misfit.Body)
	}
	s.Call("PATCH", "/v1/tool-types/mood", `{"entry_schema":{"type":"object","properties":{"value":{"type":"integer","minimum":0}}}}`).Want(200)
}
