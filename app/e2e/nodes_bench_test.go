package e2e

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

// BenchmarkTurnBesideOthers: a chat turn, from the message to its answer, on a node
// alone on its PostgreSQL and on one of two.
func BenchmarkTurnBesideOthers(b *testing.B) {
	for name, nodes := range map[string]int{"alone": 1, "of two": 2} {
		b.Run(name, func(b *testing.B) {
			db := databases["postgres"](b)
			s := newServer(b, db, func(f *app.Config) { f.NodeID = "a" })
			if nodes == 2 {
				other := newServer(b, db, func(f *app.Config) { f.NodeID = "b" })
				until(b, "the nodes to know each other", func() bool { return s.parts.Node.Peers() == 1 && other.parts.Node.Peers() == 1 })
			}
			s.scripted(`[{"answer": {"text": "That is all."}}]`)
			id := s.chat()
			events, _ := s.listen("/v1/sessions/" + id + "/events")
			for b.Loop() {
				s.call("POST", "/v1/sessions/"+id+"/messages", map[string]any{"text": "go"}).want(202)
				for e := range events {
					if e.name == "session.status" && strings.Contains(e.data, `"status":"idle"`) {
						break
					}
				}
			}
		})
	}
}
