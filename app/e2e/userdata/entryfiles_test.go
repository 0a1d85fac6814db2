package userdata

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// freeTool makes a tool whose entries may hold anything.
func (s *server) freeTool() string {
	s.T.Helper()
	zone := s.made("/v1/zones", `{"name":"Files"}`)
	s.Call("POST", "/v1/tool-types", `{"id":"free","name":"Free","config_schema":{"type":"object"},"entry_schema":{"type":"object",
		"properties":{"text":{"type":"string"},"number":{"type":"number"},"done":{"type":"boolean"},"inner":{"type":"object"},"any":{}}}}`)
	return s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"free","name":"Free"}`)
}

// export gives the tool's file.
func (s *server) export(tool, query string) string {
	s.T.Helper()
	return string(s.Call("GET", "/v1/tools/"+tool+"/entries"+query, nil, "Accept", "text/csv").Want(200).Body)
}

func (s *server) importFile(tool, file, query string) *harness.Reply {
	s.T.Helper()
	return s.Call("POST", "/v1/tools/"+tool+"/entries/import"+query, file, "Content-Type", "text/csv")
}

// all lists the data of a tool, oldest first, each with its time.
func (s *server) all(tool string) []string {
	s.T.Helper()
	var out []string
	for after := ""; ; {
		page := s.Call("GET", "/v1/tools/"+tool+"/entries?order=asc&limit=200"+after, nil).Want(200)
		for _, e := range page.List("data") {
			entry := e.(map[string]any)
			data, err := json.Marshal(entry["data"])
			if err != nil {
				s.T.Fatal(err)
			}
			out = append(out, entry["timestamp"].(string)+" "+string(data))
		}
		if page.Str("next_cursor") == "" {
			return out
		}
		after = "&after=" + page.Str("next_cursor")
	}
}

// TestAFileComesBack: a tool's export, imported again, changes nothing; imported into
// another tool, without its ids, it makes equal data, whatever the texts are; also when it
// takes many pages.
func TestAFileComesBack(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		texts := []string{"", "'", "=1+1", "+1", "-1", "@x", "\tx", "a\r\nb", "a,b;c", "\"", "5", "null", "é🎼", "\n", "'=", "[1]"}
		s := newServer(t, db)
		from, to := s.freeTool(), s.freeTool()
		for range 3 {
			var entries []map[string]any
			for i := range 400 {
				text := func() string { return texts[r.IntN(len(texts))] }
				data := map[string]any{"text": text(), "number": r.NormFloat64(), "done": r.IntN(2) == 0, "inner": map[string]any{text(): text()}, "any": []any{nil, text(), r.IntN(9)}[r.IntN(3)], "extra": text()}
				for field := range data {
					if r.IntN(4) == 0 {
						delete(data, field)
					}
				}
				at := time.Date(2026, 3, 1, 0, 0, r.IntN(86400*60), 1000*r.IntN(1e6), time.UTC)
				entries = append(entries, map[string]any{"timestamp": at.Add(time.Duration(i)), "data": data})
			}
			s.Call("POST", "/v1/tools/"+from+"/entries/batch", map[string]any{"entries": entries}).Want(201)
		}
		file := s.export(from, "")
		again := s.importFile(from, file, "").Want(201)
		if again.At("entries") != 0.0 || again.At("changed") != 0.0 || again.At("unchanged") != 1200.0 {
			t.Errorf("%s", again.Body)
		}
		s.importFile(to, file, "").Problem(422, "invalid")
		made := s.importFile(to, withoutIDs(t, file), "").Want(201)
		if made.At("entries") != 1200.0 {
			t.Errorf("%s", made.Body)
		}
		was, is := s.all(from), s.all(to)
		if len(was) != 1200 || len(is) != 1200 {
			t.Fatalf("%d entries made %d", len(was), len(is))
		}
		// Entries of one instant stand by their ids, which are new.
		seen := map[string]int{}
		for i := range was {
			seen[was[i]]++
			seen[is[i]]--
		}
		for entry, n := range seen {
			if n != 0 {
				t.Errorf("%s: %d", entry, n)
			}
		}
	})
}

// withoutIDs is a file without its first column.
func withoutIDs(t *testing.T, file string) string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		lines[i] = lines[i][1:]
	}
	var out strings.Builder
	if err := csv.NewWriter(&out).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestAFileIsEdited: edited rows of an exported file change their entries, added rows create entries, and the
// others stay; each kind is one event.
func TestAFileIsEdited(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		tool, other := s.freeTool(), s.freeTool()
		for i := range 40 {
			s.Call("POST", "/v1/tools/"+tool+"/entries", fmt.Sprintf(`{"timestamp":"2026-03-01T00:00:%02dZ","data":{"text":"apple%d","number":%d,"extra":1}}`, i, i, i)).Want(201)
		}
		theirs := s.made("/v1/tools/"+other+"/entries", `{"data":{"text":"x"}}`)
		file := strings.ReplaceAll(s.export(tool, ""), "apple3", "pear3") + ",2026-04-01,,,,4,plum,\n"
		seq := len(s.Call("GET", "/v1/events?types=data.changed&limit=200", nil).Want(200).List("data"))
		for _, wrong := range []string{theirs, "ent_nobody"} {
			got := s.importFile(tool, file+wrong+",2026-04-01,,,,,,\n", "").Problem(422, "invalid")
			if got.Str("errors.0.pointer") != "/lines/43/id" || got.Str("errors.0.code") != "unknown" {
				t.Errorf("%s", got.Body)
			}
		}
		made := s.importFile(tool, file, "").Want(201)
		if made.At("entries") != 1.0 || made.At("changed") != 11.0 || made.At("unchanged") != 29.0 {
			t.Errorf("%s", made.Body)
		}
		log := s.Call("GET", "/v1/events?types=data.changed&limit=200", nil).Want(200).List("data")[seq:]
		report, _ := json.Marshal(log)
		if len(log) != 2 || !strings.Contains(string(report), `"count":11`) || !strings.Contains(string(report), `"operation":"updated"`) {
			t.Errorf("report %s", report)
		}
		pears := s.Call("GET", "/v1/search?q=pear37", nil).Want(200)
		if len(pears.List("data")) != 1 {
			t.Errorf("%s", pears.Body)
		}
		for _, e := range s.Call("GET", "/v1/tools/"+tool+"/entries?order=asc&limit=200", nil).Want(200).List("data") {
			entry := e.(map[string]any)
			text, _ := entry["data"].(map[string]any)["text"].(string)
			if want := map[bool]float64{true: 2, false: 1}[strings.HasPrefix(text, "pear")]; entry["version"] != want {
				t.Errorf("%s has version %v", text, entry["version"])
			}
		}
		if got := s.all(other); len(got) != 1 || !strings.Contains(got[0], `"x"`) {
			t.Errorf("theirs: %v", got)
		}
	})
}

// TestAPeriodAsAFile: the filter and order of the list hold for the file.
func TestAPeriodAsAFile(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	zone := s.made("/v1/zones", `{"name":"Health"}`)
	tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
	s.importFile(tool, "timestamp,value\n2026-03-01,1\n2026-03-02,2\n2026-03-03,3\n", "").Want(201)
	s.importFile(tool, "value\n4\n", "").Want(201) // today
	values := func(query string) string {
		lines, err := csv.NewReader(strings.NewReader(s.export(tool, query))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(lines[0], ",") != "id,timestamp,value" {
			t.Errorf("header %q", lines[0])
		}
		out := ""
		for _, l := range lines[1:] {
			out += l[2]
		}
		return out
	}
	for query, want := range map[string]string{
		"": "1234", "?order=desc": "4321", "?from=2026-03-02T00:00:00Z&until=2026-03-03T00:00:00Z": "2", "?period=0_DAY": "4", "?period=-1_DAY..0_DAY": "4", "?period=-1_HOUR..1_HOUR": "4", "?period=1_DAY": "",
	} {
		if got := values(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if got := len(s.Call("GET", "/v1/tools/"+tool+"/entries?period=0_DAY", nil).Want(200).List("data")); got != 1 {
		t.Errorf("%d entries of today", got)
	}
	s.Call("GET", "/v1/tools/"+tool+"/entries?period=yesterday", nil).Problem(422, "invalid")
}

// TestAFileIsTakenWholeOrNotAtAll: one mistake in 10,000 lines leaves nothing; a dry
// run says what would be; then it takes a moment, one event, and one key.
func TestAFileIsTakenWholeOrNotAtAll(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Health"}`)
		tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
		var file strings.Builder
		file.WriteString("timestamp,value\n")
		for i := range 9_999 {
			fmt.Fprintf(&file, "%s,%d.5\n", time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339), i)
		}
		wrong := s.importFile(tool, file.String()+"2026-02-01T00:00:00Z,much\n", "").Problem(422, "invalid")
		if wrong.Str("errors.0.pointer") != "/lines/10001/value" || !strings.Contains(wrong.Str("errors.0.message"), `Line 10001, column "value"`) {
			t.Errorf("%s", wrong.Body)
		}
		file.WriteString("2026-02-01T00:00:00Z,72\n")
		s.importFile(tool, file.String()+"2026-02-01T00:00:00Z,73\n", "").Problem(413, "too_large")
		dry := s.importFile(tool, file.String(), "?dry_run=true").Want(200)
		if dry.At("entries") != 10000.0 || dry.At("dry_run") != true || dry.Str("first_timestamp") != "2026-01-01T00:00:00.000Z" || dry.Str("last_timestamp") != "2026-02-01T00:00:00.000Z" {
			t.Errorf("%s", dry.Body)
		}
		if n := len(s.all(tool)); n != 0 {
			t.Fatalf("%d entries before anything was taken", n)
		}
		started := time.Now()
		for range 2 {
			made := s.Call("POST", "/v1/tools/"+tool+"/entries/import", file.String(), "Content-Type", "text/csv", "Idempotency-Key", "the-file").Want(201)
			if made.At("entries") != 10000.0 {
				t.Errorf("%s", made.Body)
			}
		}
		took := time.Since(started)
		t.Logf("10,000 lines took %s", took)
		if took > 30*time.Second {
			t.Errorf("10,000 lines took %s", took)
		}
		stats := s.Call("GET", "/v1/tools/"+tool+"/entries/stats", nil).Want(200)
		if stats.At("data.0.count") != 10000.0 {
			t.Errorf("%s", stats.Body)
		}
		log := s.Call("GET", "/v1/events?types=data.changed&limit=200", nil).Want(200).List("data")
		last, _ := json.Marshal(log[len(log)-1])
		if !strings.Contains(string(last), `"count":10000`) || len(log) != 3 {
			t.Errorf("%d events, the last %s", len(log), last)
		}
	})
}

// TestAnEndlessFile: it is refused while it is sent.
func TestAnEndlessFile(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	zone := s.made("/v1/zones", `{"name":"Health"}`)
	tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
	for about, line := range map[string]string{"short lines": "70\n", "one long line": strings.Repeat("7", 1000), "one long text": `"` + strings.Repeat("7\n", 1000)} {
		reader, writer := io.Pipe()
		go func() {
			defer func() { _ = writer.Close() }()
			text := "value\n" + line
			for sent := 0; sent < 200<<20; {
				n, err := io.WriteString(writer, text)
				if sent += n; err != nil {
					return
				}
				text = strings.TrimPrefix(line, `"`)
			}
		}()
		request, err := http.NewRequest("POST", s.URL+"/v1/tools/"+tool+"/entries/import", reader)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "text/csv")
		response, err := http.DefaultClient.Do(request)
		_ = reader.Close()
		if err != nil {
			t.Fatalf("%s: %v", about, err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != 413 {
			t.Errorf("%s: %d %s", about, response.StatusCode, body)
		}
	}
	if n := len(s.all(tool)); n != 0 {
		t.Errorf("%d entries were kept", n)
	}
}
