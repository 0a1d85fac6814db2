package load

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// BenchmarkRoundBesideOthers: a chat round, from the message to its answer, on a node
// alone on its PostgreSQL and on one of two.
func BenchmarkRoundBesideOthers(b *testing.B) {
	for name, nodes := range map[string]int{"alone": 1, "of two": 2} {
		b.Run(name, func(b *testing.B) {
			db := harness.Databases["postgres"](b)
			s := newServer(b, db, func(f *app.Config) { f.NodeID = "a" })
			if nodes == 2 {
				other := newServer(b, db, func(f *app.Config) { f.NodeID = "b" })
				testkit.Until(b, "the nodes to know each other", func() bool { return s.Parts.Node.Peers() == 1 && other.Parts.Node.Peers() == 1 })
			}
			s.Scripted(`[{"answer": {"text": "That is all."}}]`)
			id := s.Chat()
			events, _ := s.Listen("/v1/sessions/" + id + "/events")
			for b.Loop() {
				s.Call("POST", "/v1/sessions/"+id+"/messages", map[string]any{"text": "go"}).Want(202)
				for e := range events {
					if e.Name == "session.status" && strings.Contains(e.Data, `"status":"idle"`) {
						break
					}
				}
			}
		})
	}
}
