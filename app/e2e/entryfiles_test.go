package e2e

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
)

// freeTool makes a tool whose entries may hold anything.
func (s *server) freeTool() string {
	s.t.Helper()
	zone := s.made("/v1/zones", `{"name":"Files"}`)
	s.call("POST", "/v1/tool-types", `{"id":"free","name":"Free","config_schema":{"type":"object"},"entry_schema":{"type":"object",
		"properties":{"text":{"type":"string"},"number":{"type":"number"},"done":{"type":"boolean"},"inner":{"type":"object"},"any":{}}}}`)
	return s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"free","name":"Free"}`)
}

// export gives the tool's file.
func (s *server) export(tool, query string) string {
	s.t.Helper()
	return string(s.call("GET", "/v1/tools/"+tool+"/entries"+query, nil, "Accept", "text/csv").want(200).body)
}

func (s *server) importFile(tool, file, query string) *reply {
	s.t.Helper()
	return s.call("POST", "/v1/tools/"+tool+"/entries/import"+query, file, "Content-Type", "text/csv")
}

// all lists the data of a tool, oldest first, each with its time.
func (s *server) all(tool string) []string {
	s.t.Helper()
	var out []string
	for after := ""; ; {
		page := s.call("GET", "/v1/tools/"+tool+"/entries?order=asc&limit=200"+after, nil).want(200)
		for _, e := range page.list("data") {
			entry := e.(map[string]any)
			data, err := json.Marshal(entry["data"])
			if err != nil {
				s.t.Fatal(err)
			}
			out = append(out, entry["timestamp"].(string)+" "+string(data))
		}
		if page.str("next_cursor") == "" {
			return out
		}
		after = "&after=" + page.str("next_cursor")
	}
}

// TestAFileComesBack: a tool's export, imported into another tool, makes equal data,
// whatever the texts are; also when it takes many pages.
func TestAFileComesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
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
			s.call("POST", "/v1/tools/"+from+"/entries/batch", map[string]any{"entries": entries}).want(201)
		}
		file := s.export(from, "")
		made := s.importFile(to, file, "").want(201)
		if made.at("entries") != 1200.0 {
			t.Errorf("%s", made.body)
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

// TestAPeriodAsAFile: the filter and order of the list hold for the file.
func TestAPeriodAsAFile(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	zone := s.made("/v1/zones", `{"name":"Health"}`)
	tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
	s.importFile(tool, "timestamp,value\n2026-03-01,1\n2026-03-02,2\n2026-03-03,3\n", "").want(201)
	s.importFile(tool, "value\n4\n", "").want(201) // today
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
	if got := len(s.call("GET", "/v1/tools/"+tool+"/entries?period=0_DAY", nil).want(200).list("data")); got != 1 {
		t.Errorf("%d entries of today", got)
	}
	s.call("GET", "/v1/tools/"+tool+"/entries?period=yesterday", nil).problem(422, "invalid")
}

// TestAFileIsTakenWholeOrNotAtAll: one mistake in 10,000 lines leaves nothing; a dry
// run says what would be; then it takes a moment, one event, and one key.
func TestAFileIsTakenWholeOrNotAtAll(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Health"}`)
		tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
		var file strings.Builder
		file.WriteString("timestamp,value\n")
		for i := range 9_999 {
			fmt.Fprintf(&file, "%s,%d.5\n", time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339), i)
		}
		wrong := s.importFile(tool, file.String()+"2026-02-01T00:00:00Z,much\n", "").problem(422, "invalid")
		if wrong.str("errors.0.pointer") != "/lines/10001/value" || !strings.Contains(wrong.str("errors.0.message"), `Line 10001, column "value"`) {
			t.Errorf("%s", wrong.body)
		}
		file.WriteString("2026-02-01T00:00:00Z,72\n")
		s.importFile(tool, file.String()+"2026-02-01T00:00:00Z,73\n", "").problem(413, "too_large")
		dry := s.importFile(tool, file.String(), "?dry_run=true").want(200)
		if dry.at("entries") != 10000.0 || dry.at("dry_run") != true || dry.str("first_timestamp") != "2026-01-01T00:00:00.000Z" || dry.str("last_timestamp") != "2026-02-01T00:00:00.000Z" {
			t.Errorf("%s", dry.body)
		}
		if n := len(s.all(tool)); n != 0 {
			t.Fatalf("%d entries before anything was taken", n)
		}
		started := time.Now()
		for range 2 {
			made := s.call("POST", "/v1/tools/"+tool+"/entries/import", file.String(), "Content-Type", "text/csv", "Idempotency-Key", "the-file").want(201)
			if made.at("entries") != 10000.0 {
				t.Errorf("%s", made.body)
			}
		}
		took := time.Since(started)
		t.Logf("10,000 lines took %s", took)
		if took > 30*time.Second {
			t.Errorf("10,000 lines took %s", took)
		}
		stats := s.call("GET", "/v1/tools/"+tool+"/entries/stats", nil).want(200)
		if stats.at("data.0.count") != 10000.0 {
			t.Errorf("%s", stats.body)
		}
		log := s.call("GET", "/v1/events?types=data.changed&limit=200", nil).want(200).list("data")
		last, _ := json.Marshal(log[len(log)-1])
		if !strings.Contains(string(last), `"count":10000`) || len(log) != 3 {
			t.Errorf("%d events, the last %s", len(log), last)
		}
	})
}

// TestAnEndlessFile: it is refused while it is sent.
func TestAnEndlessFile(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
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
		request, err := http.NewRequest("POST", s.url+"/v1/tools/"+tool+"/entries/import", reader)
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
