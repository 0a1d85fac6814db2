package slot

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// key makes an API key, whose bearer is a person of their own.
func (s *server) key(name, role string) (header [2]string) {
	key := s.Call("POST", "/v1/keys", map[string]any{"name": name, "role": role}).Want(201).Str("key")
	return [2]string{"Authorization", "Bearer " + key}
}

// TestPeopleDoNotWaitForEachOther verifies that each person has a slot and a queue of their own: ten people talk at once,
// each holds the slot of their lane, and none is queued.
func TestPeopleDoNotWaitForEachOther(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(c *app.Config) { c.AllowedHosts = []string{"127.0.0.1"} })
		m := newSlowModel(t, func(string) string { return `{"role":"assistant","content":"Hello."}` })
		s.Configured("slow", m.url, true)
		const people = 10
		admin := s.key("admin", "admin")
		s.Key = admin[1][len("Bearer "):]
		chats, lanes, keys := map[string]string{}, map[string]string{}, [][2]string{}
		for i := range people {
			key := s.key(fmt.Sprint("person ", i), "member")
			made := s.Call("POST", "/v1/sessions", map[string]any{}, key[:]...).Want(201)
			keys, chats[key[1]], lanes[key[1]] = append(keys, key), made.Str("id"), made.Str("lane")
			s.Call("POST", "/v1/sessions/"+made.Str("id")+"/messages", map[string]any{"text": "hi"}, key[:]...).Want(202)
		}
		m.await(t, people)
		seen := map[string]bool{}
		for _, key := range keys {
			slot := s.Call("GET", "/v1/slot", nil, key[:]...).Want(200)
			if slot.Str("holder.id") != chats[key[1]] || slot.Str("lane") != lanes[key[1]] {
				t.Errorf("the slot of %s is %s", lanes[key[1]], slot.Body)
			}
			seen[slot.Str("lane")] = true
			if queue := s.Call("GET", "/v1/queue", nil, key[:]...).Want(200).List("data"); len(queue) != 0 {
				t.Errorf("%d sessions wait in %s", len(queue), lanes[key[1]])
			}
		}
		if len(seen) != people {
			t.Errorf("%d lanes for %d people", len(seen), people)
		}
		other := "/v1/slot?lane=" + lanes[keys[1][1]]
		s.Call("GET", other, nil, keys[0][:]...).Want(403)
		if got := s.Call("GET", other, nil).Want(200).Str("holder.id"); got != chats[keys[1][1]] {
			t.Errorf("an admin sees %s in another's slot", got)
		}
		close(m.gate)
		for _, chat := range chats {
			if s.Settle(chat); s.LastText(chat) != "Hello." {
				t.Errorf("the chat's last message is %q", s.LastText(chat))
			}
		}
		if m.calls.Load() != people || m.cut.Load() != 0 {
			t.Errorf("%d calls, %d cut", m.calls.Load(), m.cut.Load())
		}
		s.Sound()
	})
}

// TestRunsInTheSharedLane verifies that as many runs as there are seats work at once, that one more waits, and that no chat
// takes a seat from them.
func TestRunsInTheSharedLane(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		m := newSlowModel(t, func(string) string { return `{"role":"assistant","content":"Done."}` })
		s.Configured("slow", m.url, true)
		s.Call("PATCH", "/v1/settings", map[string]any{"automations_at_once": 2}).Want(200)
		var runs []string
		for i := range 3 {
			made := s.Call("POST", "/v1/automations", map[string]any{
				"name": fmt.Sprint("run ", i), "lane": "shared", "completion": "auto", "seed": map[string]any{"text": "work"},
			}).Want(201)
			run := s.Call("POST", "/v1/automations/"+made.Str("id")+"/execute", map[string]any{}).Want(202)
			runs = append(runs, run.Str("session.id"))
		}
		m.await(t, 2)
		s.Until(runs[2], "queued")
		slot := s.Call("GET", "/v1/slot?lane=automations", nil).Want(200)
		if slot.At("seats") != float64(2) || len(slot.List("holders")) != 2 || slot.Str("holder.id") != runs[0] {
			t.Errorf("the shared slot is %s", slot.Body)
		}
		chat := s.Chat()
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hi"}).Want(202)
		m.await(t, 1)
		for _, run := range runs[:2] {
			s.Until(run, "running")
		}
		close(m.gate)
		s.Settle(chat)
		for _, run := range runs {
			s.Until(run, "ended")
		}
		if m.cut.Load() != 0 {
			t.Errorf("%d calls were cut", m.cut.Load())
		}
		s.Sound()
	})
}
