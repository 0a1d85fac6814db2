package slot

import (
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// An automation has as many grants as a decision about its runs may read; the list of
// them, the withdrawn ones too, is read by pages.
func TestAsManyGrantsAsMayHold(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	id := s.Call("POST", "/v1/automations", map[string]any{"name": "Weekly", "seed": map[string]any{"text": "look"}}).Want(201).Str("id")
	path := "/v1/automations/" + id + "/grants"
	grant := map[string]any{"commands": []string{"CREATE_ZONE"}, "max_per_run": 1}
	for range 99 {
		s.Call("POST", path, grant).Want(201)
	}
	last := s.Call("POST", path, grant).Want(201).Str("id")
	s.Call("POST", path, grant).Problem(422, "invalid")
	s.Call("DELETE", path+"/"+last, nil).Want(204)
	s.Call("POST", path, grant).Want(201)
	seen := map[string]bool{}
	for after := ""; ; {
		page := s.Call("GET", path+"?limit=30"+after, nil).Want(200)
		for _, g := range page.List("data") {
			seen[g.(map[string]any)["id"].(string)] = true
		}
		if page.At("next_cursor") == nil {
			break
		}
		after = "&after=" + page.Str("next_cursor")
	}
	if len(seen) != 101 || !seen[last] {
		t.Errorf("%d grants are listed", len(seen))
	}
}
