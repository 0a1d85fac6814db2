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
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkUploads: a file of 10 MiB, new and with a content that is there already, beside one of
// 10 KiB. "us-new-small" is the median of storing it; "x-new-large" and "x-same-large" are how many
// times that the others take.
func BenchmarkUploads(b *testing.B) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "uploads.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(b) },
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
	return uploadWithin(b, store, content, 1000)
}

// uploadWithin stores a content in a workspace that may have so many files.
func uploadWithin(b *testing.B, store *repository.Store, content []byte, most int64) time.Duration {
	b.Helper()
	sum := sha256.Sum256(content)
	f := &userdata.File{WorkspaceID: domain.DefaultWorkspace, CreatedAt: suite.T0, FileRef: domain.FileRef{
		ID: ids.New(domain.PrefixFile), Name: "a.txt", MediaType: userdata.MediaText, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
	}}
	begun := time.Now()
	if err := store.Files.InsertFile(b.Context(), f, content, domain.FileBudget{Bytes: 1 << 30, Count: most}); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

// BenchmarkFilesNeverUsed: 10,000 uploads, as many as a workspace may have, that no message ever refers to.
// "us-first" is the median of storing one of the first hundred, "x-last" how many times that one of the
// last hundred takes; "us-collected" is what each of them costs when its day is over, and
// "ms-longest" the longest that anybody else of the workspace waited for the collector.
func BenchmarkFilesNeverUsed(b *testing.B) {
	const many, sample = 10_000, 100
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "unused.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(b) },
	} {
		b.Run(name, func(b *testing.B) {
			store := forkStore(b, open)
			took := make([]time.Duration, many)
			for i := range took {
				took[i] = uploadWithin(b, store, fmt.Appendf(nil, "file %d", i), many+1)
			}
			first, last := median(took[:sample]), median(took[many-sample:])
			done := make(chan time.Duration)
			go func() {
				begun := time.Now()
				if err := store.Files.PruneFiles(b.Context(), time.Now().Add(2*userdata.UnusedFileFor)); err != nil {
					b.Error(err)
				}
				done <- time.Since(begun)
			}()
			longest, collected := time.Duration(0), time.Duration(0)
			for i := 0; collected == 0; i++ {
				longest = max(longest, uploadWithin(b, store, fmt.Appendf(nil, "meanwhile %d", i), 2*many))
				select {
				case collected = <-done:
				default:
				}
			}
			b.ReportMetric(float64(first.Microseconds()), "us-first")
			b.ReportMetric(float64(last)/float64(first), "x-last")
			b.ReportMetric(float64(collected.Microseconds())/many, "us-collected")
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
			b.ReportMetric(0, "ns/op")
		})
	}
}
