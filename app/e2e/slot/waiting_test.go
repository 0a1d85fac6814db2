package slot

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
)

// As many messages as may wait do; the next one is refused in words and stored nowhere;
// each of the others is answered, in its order.
func TestAsManyMessagesWaitAsMay(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[{"when": {"contains": "long work"}, "times": 1, "delay_ms": 120000, "answer": {"text": "never"}}, {"answer": {"text": "done"}}]`)
		chat := s.Chat()
		path := "/v1/sessions/" + chat + "/messages"
		s.Call("POST", path, map[string]any{"text": "long work"}).Want(202)
		for i := range domain.MaxWaiting {
			s.Call("POST", path, map[string]any{"text": fmt.Sprint("no. ", i)}).Want(202)
		}
		s.Call("POST", path, map[string]any{"text": "one too many"}).Problem(409, "queue_full")
		var seen []string
		for after := ""; ; {
			page := s.Call("GET", path+"?limit=7"+after, nil).Want(200)
			data := page.List("data")
			if len(data) > 7 {
				t.Fatalf("a page of 7 has %d messages", len(data))
			}
			for _, m := range data {
				seen = append(seen, m.(map[string]any)["rich_content"].(map[string]any)["linear_text"].(string))
			}
			if page.At("next_cursor") == nil {
				break
			}
			after = "&after=" + page.Str("next_cursor")
		}
		if len(seen) != domain.MaxWaiting+1 || seen[0] != "long work" || seen[1] != "no. 0" || seen[domain.MaxWaiting] != "no. 99" {
			t.Fatalf("the list has %d messages: %q", len(seen), seen)
		}
		withdrawn := s.Call("GET", path+"?order=desc&limit=1", nil).Want(200).Str("data.0.id")
		s.Call("DELETE", path+"/"+withdrawn, nil).Want(200)
		s.Call("POST", path, map[string]any{"text": "there is room again"}).Want(202)
		s.Call("POST", "/v1/sessions/"+chat+"/interrupt", nil).Want(200)
		s.Settle(chat)
		if record := s.Record(chat); len(record) < 2*domain.MaxWaiting {
			t.Errorf("the record has %d messages: %q", len(record), record)
		}
	})
}
