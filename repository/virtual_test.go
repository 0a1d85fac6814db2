package repository_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// TestVirtualTime: both databases can be driven within a bubble of virtual time, so
// that simulations run on what is really used, for days in an instant.
func TestVirtualTime(t *testing.T) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(t.TempDir(), "v.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := plainConfig()
			open(&cfg)
			if err := opened(t, cfg).Close(); err != nil { // migrated outside
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				s, err := repository.Open(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				w := &domain.Workspace{ID: ws, Settings: domain.DefaultSettings(), CreatedAt: time.Now()}
				if err := s.Workspaces.CreateWorkspace(t.Context(), w); err != nil {
					t.Fatal(err)
				}
				for range 48 {
					time.Sleep(time.Hour)
					c := &domain.Change{WorkspaceID: ws, At: time.Now()}
					c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
					if err := s.Commit(t.Context(), c); err != nil {
						t.Fatal(err)
					}
				}
				events, _, err := s.Events.Events(t.Context(), ws, "", 47, domain.PageSize{Rows: 1000})
				if err != nil || len(events) != 1 || events[0].At.Sub(w.CreatedAt) != 48*time.Hour {
					t.Errorf("after two days the last event is %v (%v)", events, err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
