package doors

import (
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// What the tools for the data and the automations give: entries of a time, words that were found, a run
// with its answer, and as a task one in progress.
func TestTheDataForMCPClients(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "Look at it"}, "answer": {"text": "It is well.", "calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Yes."}}]`)
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Health"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{
			"zone_id": zone, "tool_type": "tracking", "name": "Weight", "config": map[string]any{"unit": "kg"},
		}).Want(201).Str("id")
		for at, value := range map[string]int{"2026-03-01T08:00:00Z": 80, "2026-03-02T08:00:00Z": 81, "2026-04-01T08:00:00Z": 82} {
			s.Call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"timestamp": at, "data": map[string]any{"value": value}}).Want(201)
		}
		automation := s.Call("POST", "/v1/automations", map[string]any{"name": "Report", "seed": map[string]any{"text": "Look at it."}}).Want(201).Str("id")
		c := s.mcpClient(key, "2026-07-28", nil)
		var data struct {
			Entries []struct{ Data struct{ Value int } }
			Hits    []struct{ ID string }
			Cursor  string `json:"next_cursor"`
		}
		read := func(arguments map[string]any) (values []int) {
			data.Entries, data.Hits, data.Cursor = nil, nil, ""
			callTool(t, c, "query_data", arguments, &data)
			for _, e := range data.Entries {
				values = append(values, e.Data.Value)
			}
			return values
		}
		march := map[string]any{"start": "2026-03-01", "end": "2026-03-31"}
		if got := read(map[string]any{"tool_id": tool, "order": "asc", "period": march}); len(got) != 2 || got[0] != 80 || got[1] != 81 {
			t.Errorf("in March there are %v", got)
		}
		if got := read(map[string]any{"tool_id": tool, "limit": 2}); len(got) != 2 || got[0] != 82 || data.Cursor == "" {
			t.Errorf("the newest two are %v, and behind them %q", got, data.Cursor)
		}
		if got := read(map[string]any{"tool_id": tool, "limit": 2, "cursor": data.Cursor}); len(got) != 1 || got[0] != 80 || data.Cursor != "" {
			t.Errorf("behind them there are %v, and then %q", got, data.Cursor)
		}
		var run toolState
		callTool(t, c, "run_automation", map[string]any{"automation_id": automation}, &run)
		if run.State != "completed" || run.Text != "It is well." {
			t.Errorf("the run is %+v", run)
		}
		s.checkRunsListed(t, key, run.SessionID)
		_, made := s.modern(key, "tools/call", "run_automation", `"name":"run_automation","arguments":{"automation_id":"`+automation+`"}`, withTasks)
		if made.Result.TaskID == "" {
			t.Fatalf("as a task it is %+v", made)
		}
		s.Until(made.Result.TaskID, "ended")
		if _, task := s.modern(key, "tasks/get", made.Result.TaskID, `"taskId":"`+made.Result.TaskID+`"`, withTasks); task.Result.Status != "completed" {
			t.Errorf("the task is %+v", task)
		}
		s.Sound()
	})
}

// checkRunsListed: a run is among the sessions, with a time as the API writes times, and its record can be read.
func (s *server) checkRunsListed(t *testing.T, key, run string) {
	t.Helper()
	c := s.mcpClient(key, "2025-11-25", nil)
	var listed struct {
		Sessions []struct {
			ID, Type, Status string
			Last             string `json:"last_event_time"`
		}
	}
	callTool(t, c, "list_sessions", map[string]any{"type": "AUTOMATION"}, &listed)
	if len(listed.Sessions) != 1 || listed.Sessions[0].ID != run || listed.Sessions[0].Status != "ended" || len(listed.Sessions[0].Last) != len("2026-03-01T08:00:00.000Z") {
		t.Errorf("the runs are %+v", listed)
	}
	var one struct {
		Session  struct{ ID string }
		Messages []struct {
			Sender string
			AI     struct {
				Text string `json:"pre_text"`
			} `json:"ai_message"`
		}
	}
	callTool(t, c, "get_session", map[string]any{"session_id": run, "messages": 50}, &one)
	if one.Session.ID != run || len(one.Messages) < 2 || one.Messages[0].Sender != "USER" || one.Messages[1].AI.Text != "It is well." {
		t.Errorf("its record is %+v", one)
	}
}
