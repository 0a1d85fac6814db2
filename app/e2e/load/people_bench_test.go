package load

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// BenchmarkPeople measures people who talk at once in one workspace of 400, beside as many workspaces of one person
// each: what they share must not cost.
func BenchmarkPeople(b *testing.B) {
	const people, root = 400, "fermata-root-key-of-the-benchmark"
	for _, database := range []string{"sqlite", "postgres"} {
		for _, talking := range []int{20, 50} {
			b.Run(fmt.Sprintf("%s/talking=%d", database, talking), func(b *testing.B) {
				model := startRole(b, "model").url + "/fast"
				all := map[string]struct {
					server *program
					at     func(int) door
				}{}
				for _, shared := range []bool{true, false} {
					server := startServer(b, harness.Databases[database](b), "FERMATA_ROOT_KEY="+root, "FERMATA_ALLOWED_HOSTS=127.0.0.1")
					made, doors := talking, []door(nil)
					if shared {
						made = people
						harness.Must(b, door{server.url, workspaceOf(0), root}.furnish(b.Context(), model))
					}
					for n := range made {
						in := door{server.url, workspaceOf(0), root}
						if !shared {
							in.workspace = workspaceOf(n)
							harness.Must(b, in.furnish(b.Context(), model))
						}
						var key struct{ Key string }
						harness.Must(b, in.call(b.Context(), "POST", "/v1/keys", map[string]any{"name": fmt.Sprint("person ", n), "role": "admin"}, &key))
						in.key = key.Key
						doors = append(doors, in)
					}
					name := map[bool]string{true: "people", false: "workspaces"}[shared]
					all[name] = struct {
						server *program
						at     func(int) door
					}{server, func(n int) door { return doors[n*(made/talking)] }}
				}
				var took = map[string][]*figures{}
				for range tries {
					for name, one := range all {
						took[name] = append(took[name], drive(b, one.server, load{sessions: talking, at: one.at, warm: warmUp, during: measured}))
					}
				}
				ours, theirs := summarise(took["people"]), summarise(took["workspaces"])
				b.ReportMetric(theirs.rounds/ours.rounds, "x-rounds")
				b.ReportMetric(ours.p50/theirs.p50, "x-p50")
				b.ReportMetric(ours.rounds, "rounds/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
