package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func block(kind domain.EnrichmentType, config string) domain.Segment {
	return domain.Segment{Type: "enrichment", Enrichment: &domain.Enrichment{Type: kind, Config: json.RawMessage(config)}}
}

func commandList(commands []domain.Command) string {
	var all []string
	for _, c := range commands {
		all = append(all, fmt.Sprintf("%s%s", c.Type, c.Params))
	}
	return strings.Join(all, " ")
}

func TestEnrichments(t *testing.T) {
	week := `"period":{"end":"2026-11-16T00:00:00Z","start":"2026-11-09T00:00:00Z"}`
	for _, tt := range []struct {
		kind             domain.EnrichmentType
		config           string
		summary, summFR  string
		frozen, commands string
	}{
		{domain.EnrichPointer, `{"zone_id":"zon_h"}`, "the zone “Health”", "la zone « Health »", `{"zone_id":"zon_h"}`,
			`ZONE_CONFIG{"zone_id":"zon_h"} TOOL_INSTANCES{"zone_id":"zon_h"}`},
		{domain.EnrichPointer, `{"zone_id":"zon_h","period":{"relative":"-1_WEEK"}}`, "the zone “Health”, last week", "la zone « Health », la semaine dernière",
			`{"zone_id":"zon_h","period":{"start":"2026-11-09T00:00:00Z","end":"2026-11-16T00:00:00Z"}}`,
			`ZONE_CONFIG{"zone_id":"zon_h"} TOOL_INSTANCES{"zone_id":"zon_h"} TOOL_DATA{` + week + `,"tool_id":"tol_j"} TOOL_DATA{` + week + `,"tool_id":"tol_w"}`},
		{domain.EnrichPointer, `{"tool_id":"tol_w"}`, "“Weight” in “Health”", "« Weight » dans « Health »", `{"tool_id":"tol_w"}`, `TOOL_CONFIG{"tool_id":"tol_w"}`},
		{domain.EnrichUse, `{"tool_id":"tol_w","period":{"relative":"-1_WEEK"}}`, "data of “Weight” in “Health”, last week", "données de « Weight » dans « Health », la semaine dernière",
			`{"tool_id":"tol_w","period":{"start":"2026-11-09T00:00:00Z","end":"2026-11-16T00:00:00Z"}}`,
			`TOOL_CONFIG{"tool_id":"tol_w"} SCHEMA{"of":"tool","tool_type":"tracking"} SCHEMA{"of":"entry","tool_type":"tracking"} TOOL_DATA{` + week + `,"tool_id":"tol_w"} TOOL_STATS{"field":"value",` + week + `,"tool_id":"tol_w"}`},
		{domain.EnrichUse, `{"tool_id":"tol_j"}`, "data of “Diary” in “Health”", "données de « Diary » dans « Health »", `{"tool_id":"tol_j"}`,
			`TOOL_CONFIG{"tool_id":"tol_j"} SCHEMA{"of":"tool","tool_type":"journal"} SCHEMA{"of":"entry","tool_type":"journal"} TOOL_DATA{"tool_id":"tol_j"}`},
		{domain.EnrichCreate, `{"tool_type":"notes","zone_id":"zon_h"}`, "create a tool of the type “Notes” in “Health”", "créer un outil du type « Notes » dans « Health »", `{"zone_id":"zon_h","tool_type":"notes"}`,
			`SCHEMA{"of":"tool","tool_type":"notes"} SCHEMA{"of":"entry","tool_type":"notes"} ZONES{}`},
		{domain.EnrichModifyConfig, `{"tool_id":"tol_w"}`, "change the config of “Weight” in “Health”", "modifier la configuration de « Weight » dans « Health »", `{"tool_id":"tol_w"}`,
			`SCHEMA{"of":"tool","tool_type":"tracking"} TOOL_CONFIG{"tool_id":"tol_w"}`},
	} {
		t.Run(string(tt.kind)+tt.config, func(t *testing.T) {
			w := newWorld(t)
			segments := []domain.Segment{{Type: "text", Text: "Look at"}, block(tt.kind, tt.config), {Type: "text", Text: ", please."}}
			rich, err := w.c.Enrichments(t.Context(), w.data, w.env, segments)
			if err != nil {
				t.Fatal(err)
			}
			if rich.LinearText != "Look at ["+tt.summary+"], please." || rich.Segments[1].Enrichment.Summary != tt.summary {
				t.Errorf("linear text %q", rich.LinearText)
			}
			if got := string(rich.Segments[1].Enrichment.Config); got != tt.frozen {
				t.Errorf("config %s", got)
			}
			if got := commandList(rich.Commands); got != tt.commands {
				t.Errorf("commands %s", got)
			}
			if segments[1].Enrichment.Summary != "" || string(segments[1].Enrichment.Config) != tt.config {
				t.Error("what was given is changed")
			}
			executions := w.c.PlanEnrichments(w.env, &domain.Message{ID: "msg_1", Rich: &rich})
			w.c.RunQueries(t.Context(), w.data, nil, w.env, executions)
			for _, e := range executions {
				if e.Status != domain.ExecSuccess || e.MessageID != "msg_1" {
					t.Errorf("%s %s: %+v", e.Command, e.Params, e.Error)
				}
			}
			w.env.Settings.Language = "fr"
			if rich, err = w.c.Enrichments(t.Context(), w.data, w.env, segments); err != nil || rich.Segments[1].Enrichment.Summary != tt.summFR {
				t.Errorf("in French %q, %v", rich.LinearText, err)
			}
		})
	}
}

// A SEED keeps its periods as they were said: each run reads them from its own
// scheduled time.
func TestSeedsStayRelative(t *testing.T) {
	w := newWorld(t)
	w.env.SessionType = domain.Seed
	rich, err := w.c.Enrichments(t.Context(), w.data, w.env, []domain.Segment{block(domain.EnrichPointer, `{"tool_id":"tol_w","period":{"relative":"-1_DAY"}}`)})
	if err != nil || len(rich.Commands) != 2 || rich.Commands[0].IsRelative || !rich.Commands[1].IsRelative {
		t.Fatalf("%+v, %v", rich, err)
	}
	for days, want := range map[int]string{-1: "ent_1", 0: "ent_2"} {
		env := w.env
		env.Reference = noon.AddDate(0, 0, days)
		executions := w.c.PlanEnrichments(env, &domain.Message{ID: "msg_1", Rich: &rich})
		w.c.RunQueries(t.Context(), w.data, nil, env, executions)
		if !strings.Contains(executions[1].Text, want) || !strings.Contains(executions[1].Text, "1 entry") {
			t.Errorf("%d: %s", days, executions[1].Text)
		}
	}
}

func TestTextAlone(t *testing.T) {
	w := newWorld(t)
	rich, err := w.c.Enrichments(t.Context(), w.data, w.env, []domain.Segment{{Type: "text", Text: "Hello"}, {Type: "text", Text: " there"}})
	if err != nil || rich.LinearText != "Hello there" || len(rich.Commands) != 0 {
		t.Errorf("%+v, %v", rich, err)
	}
	if w.c.PlanEnrichments(w.env, &domain.Message{Text: "x"}) != nil {
		t.Error("a message without enrichments has queries")
	}
}

func TestEnrichmentsThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		segment domain.Segment
		pointer string
	}{
		{domain.Segment{Type: "text", Text: "  "}, "/segments"},
		{domain.Segment{Type: "text", Text: "a\x00"}, "/segments/0/text"},
		{domain.Segment{Type: "text", Text: "a", Enrichment: &domain.Enrichment{}}, "/segments/0/enrichment"},
		{domain.Segment{Type: "image"}, "/segments/0/type"},
		{domain.Segment{Type: "enrichment"}, "/segments/0/enrichment"},
		{block("LOOK", `{}`), "/segments/0/enrichment/type"},
		{block(domain.EnrichPointer, `{}`), "/segments/0/enrichment/config"},
		{block(domain.EnrichPointer, `{"zone_id":"zon_h","tool_id":"tol_w"}`), "/segments/0/enrichment/config"},
		{block(domain.EnrichPointer, `{"zone_id":"zon_x"}`), "/segments/0/enrichment/config/zone_id"},
		{block(domain.EnrichPointer, `{"tool_id":"tol_w","period":{"relative":"soon"}}`), "/segments/0/enrichment/config/period/relative"},
		{block(domain.EnrichPointer, `{"tool_id":"tol_w","colour":1}`), "/segments/0/enrichment/config/colour"},
		{block(domain.EnrichUse, ``), "/segments/0/enrichment/config/tool_id"},
		{block(domain.EnrichUse, `{"tool_id":"tol_x"}`), "/segments/0/enrichment/config/tool_id"},
		{block(domain.EnrichCreate, `{"tool_type":"diary"}`), "/segments/0/enrichment/config/tool_type"},
		{block(domain.EnrichModifyConfig, `[]`), "/segments/0/enrichment/config"},
	} {
		w := newWorld(t)
		_, err := w.c.Enrichments(t.Context(), w.data, w.env, []domain.Segment{tt.segment})
		if domain.ErrorCode(err) != domain.CodeInvalid || pointerOf(err) != tt.pointer {
			t.Errorf("%+v: %v at %s, want %s", tt.segment, err, pointerOf(err), tt.pointer)
		}
	}
}
