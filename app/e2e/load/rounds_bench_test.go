package load

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const (
	// tries is how often each contender is measured, in turn with the others; the median
	// counts.
	tries    = 3
	warmUp   = time.Second
	measured = 4 * time.Second
)

// BenchmarkRound measures chat rounds of the server beside the floor. Server, floor and
// model are processes of their own, this one is the load. It prints a table, and is meant
// for `make bench-round`, which has PostgreSQL wait for the disk.
func BenchmarkRound(b *testing.B) {
	var table strings.Builder
	fmt.Fprintf(&table, "\n%s\n\n", machine())
	fmt.Fprintln(&table, "| | rounds/s | p50 ms | p90 ms | p90/p50 | CPU ms | rounds/s, x floor | p50, x floor | CPU, x floor |")
	fmt.Fprintln(&table, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			pair := newPair(b, harness.Databases[database], "/fast", 16)
			for _, sessions := range []int{1, 16} {
				floor, ours := pair.measure(b, load{sessions: sessions, warm: warmUp, during: measured})
				writeRow(&table, fmt.Sprintf("%s c=%d: floor", database, sessions), floor, nil)
				writeRow(&table, fmt.Sprintf("%s c=%d: Fermata", database, sessions), ours, &floor)
				b.ReportMetric(ours.p50/floor.p50, fmt.Sprintf("x-floor-p50-c%d", sessions))
			}
			b.ReportMetric(0, "ns/op") // the whole of it, which says nothing
		})
	}
	fmt.Println(table.String())
}

// pair are the floor and the server, each on an empty database of its own, and the model.
type pair struct{ floor, server *program }

// newPair starts them, with as many workspaces as there will be sessions at once.
func newPair(b *testing.B, open func(testing.TB) app.Database, path string, workspaces int) pair {
	b.Helper()
	model := startRole(b, "model").url + path
	db := open(b)
	p := pair{
		floor:  startRole(b, "floor", "FERMATA_DATA_DIR="+db.DataDir, "FERMATA_DATABASE_URL="+db.DatabaseURL, "FERMATA_LOAD_MODEL="+model),
		server: startServer(b, open(b)),
	}
	for n := range workspaces {
		harness.Must(b, door{url: p.server.url, workspace: workspaceOf(n)}.furnish(b.Context(), model))
	}
	return p
}

// summary is the median of each figure over the tries.
type summary struct{ rounds, p50, p90, p99, cpu float64 } // a second, then milliseconds

// measure measures both in turn.
func (p pair) measure(b *testing.B, l load) (floor, ours summary) {
	b.Helper()
	var theirs, mine []*figures
	for range tries {
		theirs = append(theirs, drive(b, p.floor, l))
		mine = append(mine, drive(b, p.server, l))
	}
	return summarise(theirs), summarise(mine)
}

func summarise(all []*figures) summary {
	return summary{
		rounds: middle(all, func(f *figures) float64 { return f.rounds }),
		p50:    middle(all, func(f *figures) float64 { return milliseconds(f.quantile(.5)) }),
		p90:    middle(all, func(f *figures) float64 { return milliseconds(f.quantile(.9)) }),
		p99:    middle(all, func(f *figures) float64 { return milliseconds(f.quantile(.99)) }),
		cpu:    middle(all, func(f *figures) float64 { return milliseconds(f.cpu) }),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// middle is the median of a figure.
func middle[T any](all []T, figure func(T) float64) float64 {
	values := make([]float64, len(all))
	for i, one := range all {
		values[i] = figure(one)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func writeRow(table *strings.Builder, name string, s summary, floor *summary) {
	ratios := " | | |"
	if floor != nil {
		ratios = fmt.Sprintf(" %.2f | %.2f | %.2f |", s.rounds/floor.rounds, s.p50/floor.p50, s.cpu/floor.cpu)
	}
	fmt.Fprintf(table, "| %s | %.0f | %.2f | %.2f | %.2f | %.2f |%s\n", name, s.rounds, s.p50, s.p90, s.p90/s.p50, s.cpu, ratios)
}

// machine says of which state, where and beside what the figures are.
func machine() string {
	commit, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	busy, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		busy = []byte("unknown")
	}
	return fmt.Sprintf("%s, commit %s, %d cores, %s, load of the machine before: %s, PostgreSQL with fsync=%s; medians of %d in turn", time.Now().UTC().Format("2006-01-02 15:04 MST"),
		strings.TrimSpace(string(commit)), runtime.NumCPU(), runtime.Version(), strings.TrimSpace(string(busy)), cmp.Or(os.Getenv("FERMATA_TEST_FSYNC"), "off"), tries)
}
