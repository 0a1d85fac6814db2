package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

// world is a small server: the person's data in memory, and the commands on it with
// results in the shapes of the real ones.
type world struct {
	zones   []map[string]any
	tools   []map[string]any
	entries []map[string]any
	types   []map[string]any
	docs    []map[string]any
	newID   func(string) string
	last    string            // the action before, for the guard against repetition
	asked   map[string]string // queries with what they brought, for the same guard
	some    string            // only actions whose card contains this text are approved
	fail    map[string]string
	refuse  bool
	// refuseDocuments: the person says no to a change of the documents, which always ask.
	refuseDocuments bool
	report          string // of an agent
}

func newWorld() *world {
	return &world{newID: repeatable.IDs(), fail: map[string]string{}, asked: map[string]string{}}
}

func (w *world) run(name string, params json.RawMessage) domain.CommandResult {
	var p map[string]any
	if err := json.Unmarshal(params, &p); err != nil {
		return failure("params", err.Error())
	}
	if message := w.fail[name]; message != "" {
		delete(w.fail, name)
		return failure("invalid", message)
	}
	if isAction(name) {
		validate, _ := p["validation_request"].(bool)
		validate = validate || name == "CREATE_AUTOMATION"
		if w.refuse && validate {
			w.refuse = false
			return domain.CommandResult{Command: name, Status: domain.ExecCancelled}
		}
		if w.refuseDocuments && strings.HasPrefix(name, "CONTEXT_") {
			w.refuseDocuments = false
			return domain.CommandResult{Command: name, Status: domain.ExecCancelled}
		}
		if w.some != "" && validate && !strings.Contains(string(params), w.some) {
			return domain.CommandResult{Command: name, Status: domain.ExecCancelled}
		}
		if repeat, _ := p["repeat"].(bool); name+string(params) == w.last && !repeat {
			return domain.CommandResult{Command: name, Status: domain.ExecCached}
		}
		w.last = name + string(params)
	}
	delete(p, "validation_request")
	out, failed := w.do(name, p)
	if failed != nil {
		return *failed
	}
	status := domain.ExecSuccess
	if !isAction(name) {
		if w.asked[name+string(params)] == out {
			status = domain.ExecCached
		}
		w.asked[name+string(params)] = out
	}
	return domain.CommandResult{Command: name, Status: status, Text: out}
}

func (w *world) do(name string, p map[string]any) (out string, failed *domain.CommandResult) {
	text := func(key string) string { s, _ := p[key].(string); return s }
	out = "Done."
	switch name {
	case "ZONES":
		out = rows("zones", w.zones)
	case "APP_STATE":
		out = rows("zones", w.state())
	case "TOOL_INSTANCES":
		out = rows("tools", bare(only(w.tools, "zone_id", text("zone_id"))))
	case "TOOL_CONFIG":
		out = "The tool:\n" + jsonOf(only(w.tools, "id", text("tool_id"))[0])
	case "TOOL_DATA":
		out = w.page(text("tool_id"), p)
	case "TOOL_STATS":
		out = "Statistics of value:\n" + jsonOf(w.stats(text("tool_id")))
		if p["group_by"] != nil {
			group := w.stats(text("tool_id"))
			group["bucket"] = "2026-11-16"
			out = "Statistics of value:\nall: " + jsonOf(w.stats(text("tool_id"))) + "\n" + jsonOf(group)
		}
	case "SCHEMA":
		out = "Schemas:"
		for _, t := range only(w.types, "tool_type", text("tool_type")) {
			out += "\n" + jsonOf(t)
		}
	case "SEARCH":
		out = w.search(text("query"))
	case "CONTEXT":
		out = rows("documents", only(w.docs, "key", text("key")))
	case "CONTEXT_UPDATE":
		w.docs = append(without(w.docs, "key", p["key"]), map[string]any{"key": p["key"], "title": p["title"], "draft_body": p["body"], "published": false})
	case "CONTEXT_PUBLISH":
		for _, d := range only(w.docs, "key", text("key")) {
			d["published"], d["published_body"], d["draft_body"] = true, d["draft_body"], ""
		}
	case "AGENT_CONTEXT_MANAGER", "AGENT.CONTEXT_MANAGER", "AGENT_SCOUT":
		out = cmp.Or(w.report, "outcome: MISSION_COMPLETED\nreason: The task is done.\nresult: It is noted.\nIn Notes.\nconclusion: Read it.")
	case "CREATE_AUTOMATION":
		out = fmt.Sprintf("Created the automation %q with the id %s: %s.", p["name"], w.newID("aut"), jsonOf(p["schedule"]))
	case "CREATE_TOOL_TYPE":
		w.types = append(w.types, map[string]any{"tool_type": p["id"], "name": p["name"], "schema": p["entry_schema"]})
	case "CREATE_ZONE":
		p["id"] = w.newID("zon")
		w.zones, out = append(w.zones, p), fmt.Sprintf("Created the zone %q with the id %s.", p["name"], p["id"])
	case "CREATE_TOOL":
		p["id"] = w.newID("tol")
		w.tools, out = append(w.tools, p), fmt.Sprintf("Created the tool %q with the id %s.", p["name"], p["id"])
	case "CREATE_DATA":
		out = w.create(text("tool_id"), p["entries"].([]any))
	case "UPDATE_ZONE":
		maps.Copy(only(w.zones, "id", text("zone_id"))[0], p)
	case "UPDATE_TOOL":
		maps.Copy(only(w.tools, "id", text("tool_id"))[0], p)
	case "UPDATE_DATA":
		for _, e := range w.entries {
			if e["id"] == text("entry_id") {
				maps.Copy(e["data"].(map[string]any), p["data"].(map[string]any))
			}
		}
	case "DELETE_DATA":
		for _, id := range p["entry_ids"].([]any) {
			w.entries = without(w.entries, "id", id)
		}
	case "DELETE_ZONE":
		if len(only(w.tools, "zone_id", text("zone_id"))) > 0 && p["force"] != true {
			f := failure("not_empty", "The zone holds tools.")
			return "", &f
		}
		w.zones = without(w.zones, "id", p["zone_id"])
	default:
		f := failure("unknown_command", "There is no command "+name)
		return "", &f
	}
	return out, nil
}

// rows is a list as a model reads it: a head, and one line for each.
func rows(what string, list []map[string]any) string {
	text := fmt.Sprintf("%d %s:", len(list), what)
	for _, item := range list {
		text += "\n" + jsonOf(item)
	}
	return text
}

func jsonOf(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// bare are tools as lists show them: without their config.
func bare(tools []map[string]any) []map[string]any {
	out := []map[string]any{}
	for _, t := range tools {
		row := maps.Clone(t)
		delete(row, "config")
		out = append(out, row)
	}
	return out
}

func (w *world) state() []map[string]any {
	out := []map[string]any{}
	for _, z := range w.zones {
		zone := maps.Clone(z)
		zone["tools"] = bare(only(w.tools, "zone_id", z["id"].(string)))
		out = append(out, zone)
	}
	return out
}

func failure(code, message string) domain.CommandResult {
	return domain.CommandResult{Status: domain.ExecFailed, Error: &domain.CommandError{Code: code, Message: message}}
}

func only(list []map[string]any, key, value string) []map[string]any {
	out := []map[string]any{}
	for _, item := range list {
		if value == "" || item[key] == value {
			out = append(out, item)
		}
	}
	return out
}

func without(list []map[string]any, key string, value any) []map[string]any {
	out := []map[string]any{}
	for _, item := range list {
		if item[key] != value {
			out = append(out, item)
		}
	}
	return out
}

func (w *world) create(tool string, entries []any) string {
	var ids []string
	for _, e := range entries {
		entry := map[string]any{"id": w.newID("ent"), "tool_id": tool, "data": e.(map[string]any)["data"],
			"timestamp": fmt.Sprintf("2026-11-%02dT08:00:00Z", len(w.entries)+1)}
		w.entries, ids = append(w.entries, entry), append(ids, entry["id"].(string))
	}
	return fmt.Sprintf("Added %d entries. Ids: %s.", len(ids), strings.Join(ids, ", "))
}

// page is a page of entries; its cursor is how many were shown before.
func (w *world) page(tool string, p map[string]any) string {
	all := []map[string]any{}
	for _, e := range only(w.entries, "tool_id", tool) {
		all = append([]map[string]any{e}, all...)
	}
	from := 0
	if cursor, ok := p["cursor"].(string); ok {
		fmt.Sscan(cursor, &from)
	}
	limit, _ := p["limit"].(float64)
	to := min(len(all), from+int(limit))
	text := rows("entries", all[from:to])
	if to < len(all) {
		text += fmt.Sprintf("\nNote: There is more: go on with cursor %q.", fmt.Sprint(to))
	}
	return text
}

func (w *world) search(query string) string {
	hits := []map[string]any{}
	for _, e := range w.entries {
		if text, _ := e["data"].(map[string]any)["text"].(string); strings.Contains(text, query) {
			tool := only(w.tools, "id", e["tool_id"].(string))[0]
			hits = append(hits, map[string]any{"kind": "entry", "id": e["id"], "tool": tool["name"], "timestamp": e["timestamp"], "snippet": text})
		}
	}
	return rows("results", hits)
}

func (w *world) stats(tool string) map[string]any {
	s := map[string]any{"count": 0}
	sum := 0.0
	for i, e := range only(w.entries, "tool_id", tool) {
		v := e["data"].(map[string]any)["value"].(float64)
		sum += v
		s["count"], s["last"], s["mean"] = i+1, v, sum/float64(i+1)
		if i == 0 || v < s["min"].(float64) {
			s["min"] = v
		}
		if i == 0 || v > s["max"].(float64) {
			s["max"] = v
		}
	}
	return s
}

// said is a result as the server says it to a model.
func said(r domain.CommandResult) string {
	switch r.Status {
	case domain.ExecFailed:
		return "Failed (" + r.Error.Code + "): " + r.Error.Message
	case domain.ExecCancelled:
		return "Cancelled: this was not run."
	case domain.ExecCached:
		return "Not run again: the same call was made just before. Its outcome:\n" + cmp.Or(r.Text, "Done.")
	}
	return r.Text
}

// session talks with the demo in one protocol and carries out what it asks for.
type session struct {
	world    *world
	provider *provider
	prompt   *ai.Prompt
	answers  []string // to questions
	uses     string   // the tool that the next message refers to
	log      strings.Builder
}
