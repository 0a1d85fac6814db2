package sqldb

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/migrations"
)

// BenchmarkWriters is one row after the other, each in a transaction of its own, by so
// many writers at a time. One operation is one transaction; fair is how many times the
// median of all 90 of 100 wait at most.
func BenchmarkWriters(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			db, err := Open(b.Context(), Config{
				Path: filepath.Join(b.TempDir(), "w.db"), Clock: clock.System, NewID: ids.New,
				Migrations: Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if err := db.Migrate(b.Context()); err != nil {
				b.Fatal(err)
			}
			var mu sync.Mutex
			var took []time.Duration
			var all sync.WaitGroup
			b.ResetTimer()
			for writer := range writers {
				all.Go(func() {
					own := make([]time.Duration, 0, b.N/writers+1)
					for n := writer; n < b.N; n += writers {
						begun := clock.System()
						id := ids.New("ws")
						err := db.Write(b.Context(), id, func(t *Tx) error {
							_, err := t.Write(b.Context(), "INSERT INTO workspaces (id, name, settings, created_at) VALUES ($1, '', '{}', 1)", id)
							return err
						})
						if err != nil {
							b.Error(err)
						}
						own = append(own, clock.System().Sub(begun))
					}
					mu.Lock()
					defer mu.Unlock()
					took = append(took, own...)
				})
			}
			all.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*9/10])/float64(took[len(took)/2]), "fair")
		})
	}
}
