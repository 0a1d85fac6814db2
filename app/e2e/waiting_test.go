package e2e

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/domain"
)

// As many messages as may wait do; the next one is refused in words and stored nowhere;
// each of the others is answered, in its order.
func TestAsManyMessagesWaitAsMay(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[{"when": {"contains": "long work"}, "times": 1, "delay_ms": 120000, "answer": {"text": "never"}}, {"answer": {"text": "done"}}]`)
		chat := s.chat()
		path := "/v1/sessions/" + chat + "/messages"
		s.call("POST", path, map[string]any{"text": "long work"}).want(202)
		for i := range domain.MaxWaiting {
			s.call("POST", path, map[string]any{"text": fmt.Sprint("no. ", i)}).want(202)
		}
		s.call("POST", path, map[string]any{"text": "one too many"}).problem(409, "queue_full")
		var seen []string
		for after := ""; ; {
			page := s.call("GET", path+"?limit=7"+after, nil).want(200)
			data := page.list("data")
			if len(data) > 7 {
				t.Fatalf("a page of 7 has %d messages", len(data))
			}
			for _, m := range data {
				seen = append(seen, m.(map[string]any)["rich_content"].(map[string]any)["linear_text"].(string))
			}
			if page.at("next_cursor") == nil {
				break
			}
			after = "&after=" + page.str("next_cursor")
		}
		if len(seen) != domain.MaxWaiting+1 || seen[0] != "long work" || seen[1] != "no. 0" || seen[domain.MaxWaiting] != "no. 99" {
			t.Fatalf("the list has %d messages: %q", len(seen), seen)
		}
		withdrawn := s.call("GET", path+"?order=desc&limit=1", nil).want(200).str("data.0.id")
		s.call("DELETE", path+"/"+withdrawn, nil).want(200)
		s.call("POST", path, map[string]any{"text": "there is room again"}).want(202)
		s.call("POST", "/v1/sessions/"+chat+"/interrupt", nil).want(200)
		s.settle(chat)
		if record := s.record(chat); len(record) < 2*domain.MaxWaiting {
			t.Errorf("the record has %d messages: %q", len(record), record)
		}
	})
}
