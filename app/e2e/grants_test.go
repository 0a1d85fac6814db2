package e2e

import "testing"

// An automation has as many grants as a decision about its runs may read; the list of
// them, the withdrawn ones too, is read by pages.
func TestAsManyGrantsAsMayHold(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	id := s.call("POST", "/v1/automations", map[string]any{"name": "Weekly", "seed": map[string]any{"text": "look"}}).want(201).str("id")
	path := "/v1/automations/" + id + "/grants"
	grant := map[string]any{"commands": []string{"CREATE_ZONE"}, "max_per_run": 1}
	for range 99 {
		s.call("POST", path, grant).want(201)
	}
	last := s.call("POST", path, grant).want(201).str("id")
	s.call("POST", path, grant).problem(422, "invalid")
	s.call("DELETE", path+"/"+last, nil).want(204)
	s.call("POST", path, grant).want(201)
	seen := map[string]bool{}
	for after := ""; ; {
		page := s.call("GET", path+"?limit=30"+after, nil).want(200)
		for _, g := range page.list("data") {
			seen[g.(map[string]any)["id"].(string)] = true
		}
		if page.at("next_cursor") == nil {
			break
		}
		after = "&after=" + page.str("next_cursor")
	}
	if len(seen) != 101 || !seen[last] {
		t.Errorf("%d grants are listed", len(seen))
	}
}
