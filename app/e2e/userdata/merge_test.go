package userdata

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// together sends patches of one thing at the same time, without If-Match, and gives the
// statuses of their answers.
func (s *server) together(path string, patches ...string) []int {
	s.T.Helper()
	var all sync.WaitGroup
	statuses, begin := make([]int, len(patches)), make(chan struct{})
	for i, patch := range patches {
		all.Go(func() {
			<-begin
			statuses[i] = s.Call("PATCH", path, patch).Status
		})
	}
	close(begin)
	all.Wait()
	slices.Sort(statuses)
	return statuses
}

// TestTwoPatchesAtOnce: who changes different fields of one object loses nothing of the
// other's, whatever it is a field of; and what both make of it together is held against
// the tool type, not what one of them saw.
func TestTwoPatchesAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Health"}`)
		object := `{"type":"object"}`
		s.made("/v1/tool-types", `{"id":"trip","name":"Trip","config_schema":`+object+`,"entry_schema":`+object+`}`)
		tool := "/v1/tools/" + s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"trip","name":"Trip"}`)
		entry := "/v1/entries/" + s.made(tool+"/entries", `{"data":{}}`)
		chat := "/v1/sessions/" + s.Chat()
		provider := "/v1/providers/" + s.made("/v1/providers", `{"name":"Far","kind":"openai_compatible","config":{
			"base_url":"http://127.0.0.1:9/v1","model":"m","prices":{"input":1,"output":1}}}`)
		for round := 1; round <= 15; round++ {
			for _, c := range []struct{ path, first, second, one, other string }{
				{tool, `{"config":{"at":{"a":%d}}}`, `{"config":{"at":{"b":%d}}}`, "config.at.a", "config.at.b"},
				{entry, `{"data":{"a":%d}}`, `{"data":{"b":%d}}`, "data.a", "data.b"},
				{chat, `{"budgets":{"max_cost_per_round":%d}}`, `{"budgets":{"max_cost_per_session":%d}}`,
					"budgets.max_cost_per_round", "budgets.max_cost_per_session"},
				{provider, `{"config":{"prices":{"input":%d}}}`, `{"config":{"prices":{"output":%d}}}`, "config.prices.input", "config.prices.output"},
				{"/v1/settings", `{"limits":{"chat":{"max_action_retries":%d}}}`, `{"limits":{"chat":{"max_cost_per_day":%d}}}`,
					"limits.chat.max_action_retries", "limits.chat.max_cost_per_day"},
			} {
				answers := s.together(c.path, fmt.Sprintf(c.first, round), fmt.Sprintf(c.second, round))
				now, want := s.Call("GET", c.path, nil).Want(200), float64(round)
				if !slices.Equal(answers, []int{200, 200}) || now.At(c.one) != want || now.At(c.other) != want {
					t.Fatalf("round %d: %v, %s", round, answers, now.Body)
				}
			}
		}

		weight := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
		for range 15 {
			s.Call("PATCH", "/v1/tools/"+weight, `{"config":{"min":100,"max":200}}`).Want(200)
			answers := s.together("/v1/tools/"+weight, `{"config":{"min":170}}`, `{"config":{"max":130}}`)
			if !slices.Equal(answers, []int{200, 422}) {
				t.Fatalf("%v: %s", answers, s.Call("GET", "/v1/tools/"+weight, nil).Body)
			}
		}
	})
}
