package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// BenchmarkOutsideRound measures rounds with an action at another server, which responds at once: the model is
// called, the action is carried out, the model gets the result. The reference is the same three requests by a
// loop without storage, from as many clients.
func BenchmarkOutsideRound(b *testing.B) {
	var table strings.Builder
	fmt.Fprintf(&table, "\n%s\n\n", machine())
	fmt.Fprintln(&table, "| | rounds/s | p50 ms | p90 ms | CPU ms | rounds/s, x without | p50, x without |")
	fmt.Fprintln(&table, "| --- | --- | --- | --- | --- | --- | --- |")
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			outside := startRole(b, "model").url
			server := startServer(b, harness.Databases[database](b))
			for n := range 16 {
				at := door{url: server.url, workspace: workspaceOf(n)}
				harness.Must(b, at.furnish(b.Context(), outside+"/outside"))
				harness.Must(b, at.connectShop(b.Context(), outside))
			}
			for _, sessions := range []int{1, 16} {
				l := load{sessions: sessions, warm: warmUp, during: measured}
				var without, with []*figures
				for range tries {
					without = append(without, driveBare(b, outside, l))
					with = append(with, drive(b, server, l))
				}
				bare, ours := summarise(without), summarise(with)
				fmt.Fprintf(&table, "| %s c=%d: without | %.0f | %.2f | %.2f | | | |\n", database, sessions, bare.rounds, bare.p50, bare.p90)
				fmt.Fprintf(&table, "| %s c=%d: Fermata | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f |\n",
					database, sessions, ours.rounds, ours.p50, ours.p90, ours.cpu, ours.rounds/bare.rounds, ours.p50/bare.p50)
				b.ReportMetric(ours.p50/bare.p50, fmt.Sprintf("x-without-p50-c%d", sessions))
			}
			b.ReportMetric(0, "ns/op")
		})
	}
	fmt.Println(table.String())
}

// connectShop connects the server that responds at once: it is trusted, and needs no approval.
func (d door) connectShop(ctx context.Context, outside string) error {
	return d.call(ctx, "POST", "/v1/connectors", map[string]any{
		"name": "Shop", "kind": "http", "prefix": "SHOP", "config": map[string]any{"base_url": outside},
		"commands": []any{map[string]any{
			"name": "PAY", "description": "Pays.", "effect": "non_idempotent", "require_validation": false, "trusted": true,
			"params_schema": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}},
			"request":       map[string]any{"method": "POST", "path": "/shop/orders"},
		}},
	}, nil)
}

// driveBare does without the server what a round does: three requests, one after the other.
func driveBare(b *testing.B, outside string, l load) *figures {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), l.warm+l.during)
	defer cancel()
	begun := time.Now().Add(l.warm)
	var mu sync.Mutex
	var took []time.Duration
	var clients sync.WaitGroup
	for range l.sessions {
		clients.Go(func() {
			for ctx.Err() == nil {
				at := time.Now()
				err := bareRound(ctx, outside)
				if mu.Lock(); err == nil && at.After(begun) {
					took = append(took, time.Since(at))
				} else if err != nil && ctx.Err() == nil {
					b.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	if len(took) == 0 {
		b.Fatal("no round was measured")
	}
	slices.Sort(took)
	return &figures{rounds: float64(len(took)) / l.during.Seconds(), took: took}
}

func bareRound(ctx context.Context, outside string) error {
	for _, r := range []struct{ path, body string }{
		{"/outside/chat/completions", `{"messages":[{"role":"user","content":"hello"}]}`},
		{"/shop/orders", `{"n":1}`},
		{"/outside/chat/completions", `{"messages":[{"role":"user","content":"hello"},{"role":"tool","content":"{}"}]}`},
	} {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, outside+r.path, bytes.NewReader([]byte(r.body)))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := harness.BenchClient.Do(request)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", r.path, answer.Status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
