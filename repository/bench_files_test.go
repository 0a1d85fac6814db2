package repository_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkUploads: a file of 10 MiB, new and with a content that is there already, beside one of
// 10 KiB. "us-new-small" is the median of storing it; "x-new-large" and "x-same-large" are how many
// times that the others take.
func BenchmarkUploads(b *testing.B) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "uploads.db") },
		"postgres": func(c *repository.Config) { c.URL = testkit.Postgres(b) },
	} {
		b.Run(name, func(b *testing.B) {
			store := forkStore(b, open)
			small := uploads(b, store, 10<<10, 30)
			large := uploads(b, store, 10<<20, 5)
			same := bytes.Repeat([]byte("the same "), 10<<20/9)
			upload(b, store, same)
			again := make([]time.Duration, 30)
			for i := range again {
				again[i] = upload(b, store, same)
			}
			slices.Sort(again)
			b.ReportMetric(float64(small.Microseconds()), "us-new-small")
			b.ReportMetric(float64(large)/float64(small), "x-new-large")
			b.ReportMetric(float64(again[len(again)/2])/float64(small), "x-same-large")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// uploads stores contents of a size, each a new one, and gives the median of the times.
func uploads(b *testing.B, store *repository.Store, size, times int) time.Duration {
	b.Helper()
	took := make([]time.Duration, times)
	for i := range took {
		took[i] = upload(b, store, bytes.Repeat([]byte(fmt.Sprintf("%8d ", i)), size/9))
	}
	slices.Sort(took)
	return took[times/2]
}

func upload(b *testing.B, store *repository.Store, content []byte) time.Duration {
	b.Helper()
	sum := sha256.Sum256(content)
	f := &domain.File{WorkspaceID: domain.DefaultWorkspace, CreatedAt: suite.T0, FileRef: domain.FileRef{
		ID: ids.New(domain.PrefixFile), Name: "a.txt", MediaType: domain.MediaText, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
	}}
	begun := time.Now()
	if err := store.Files.InsertFile(b.Context(), f, content, domain.FileBudget{Bytes: 1 << 30, Count: 1000}); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}
