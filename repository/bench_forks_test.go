package repository_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkForks: a fork at the end of a chat of ten messages and of one of ten thousand, and
// the newest page of each. "us-look-of-n" is the median of finding out of what it is made,
// "us-fork-of-n" of storing it.
func BenchmarkForks(b *testing.B) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "forks.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(b) },
	} {
		b.Run(name, func(b *testing.B) {
			for _, n := range []int{10, 10_000} {
				store := forkStore(b, open) // of its own: a plan that was made for few rows stays for a while
				last := talked(b, store, n)
				var looked, made, read []time.Duration
				for range 50 {
					begun := time.Now()
					point, err := store.Sessions.ForkPoint(b.Context(), last.WorkspaceID, last.SessionID, last.ID)
					if err != nil {
						b.Fatal(err)
					}
					looked = append(looked, time.Since(begun))
					begun = time.Now()
					fork := forkedAt(b, store, point)
					made = append(made, time.Since(begun))
					begun = time.Now()
					page, _, err := store.Sessions.MessagePage(b.Context(), fork, "", 10, true)
					if err != nil || len(page) != 10 {
						b.Fatalf("%d messages: %v", len(page), err)
					}
					read = append(read, time.Since(begun))
				}
				for what, all := range map[string][]time.Duration{"look": looked, "fork": made, "page": read} {
					slices.Sort(all)
					b.ReportMetric(float64(all[len(all)/2].Microseconds()), fmt.Sprintf("us-%s-of-%d", what, n))
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func forkStore(b *testing.B, open func(*repository.Config)) *repository.Store {
	b.Helper()
	cfg := plainConfig()
	open(&cfg)
	store := opened(b, cfg)
	err := store.Workspaces.CreateWorkspace(b.Context(), &domain.Workspace{
		ID: domain.DefaultWorkspace, Settings: domain.DefaultSettings(), CreatedAt: suite.T0,
	})
	if err != nil {
		b.Fatal(err)
	}
	return store
}

// talked stores a chat of n messages, and gives the last.
func talked(b *testing.B, store *repository.Store, n int) *domain.Message {
	b.Helper()
	s := benchSession()
	var last *domain.Message
	for left, insert := n, true; left > 0; insert = false {
		c := &domain.Change{WorkspaceID: s.WorkspaceID, At: suite.T0, Sessions: []domain.SessionWrite{{Session: s, Insert: insert}}}
		if insert {
			c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
		}
		for range min(left, 100) {
			last = &domain.Message{
				ID: ids.New(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: suite.T0,
				RoundID: fmt.Sprint("rnd_", left/2), Sender: domain.SenderAI, Status: domain.MessageStored, Text: "words",
			}
			c.Messages = append(c.Messages, last)
			c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: last})
			left--
		}
		if err := store.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	return last
}

func benchSession() *domain.Session {
	return &domain.Session{
		ID: ids.New(domain.PrefixSession), WorkspaceID: domain.DefaultWorkspace, Type: domain.Chat, Phase: domain.Idle,
		CreatedAt: suite.T0, UpdatedAt: suite.T0, LastEventTime: suite.T0,
	}
}

func forkedAt(b *testing.B, store *repository.Store, point *branch.ForkPoint) *domain.Session {
	b.Helper()
	s := benchSession()
	s.Origin = &domain.ForkOrigin{SessionID: point.Session.ID, MessageID: point.Message.ID, Parts: point.Parts()}
	c := &domain.Change{WorkspaceID: s.WorkspaceID, At: suite.T0, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	if err := store.Commit(b.Context(), c); err != nil {
		b.Fatal(err)
	}
	return s
}
