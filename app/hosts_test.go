package app

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// A change that this process makes counts at once, one of another node within five seconds, and
// in between the database is not asked for each request.
func TestAllowedHostsAreRemembered(t *testing.T) {
	now, asked, entries := time.Unix(1_800_000_000, 0), 0, []string{"*"}
	hosts := newAllowedHosts(func() time.Time { return now }, func(_ context.Context, id string) (*domain.Workspace, error) {
		asked++
		return &domain.Workspace{ID: id, Settings: domain.Settings{AllowedHosts: entries}}, nil
	})
	client := egress.Of(egress.NewClient(egress.Config{Hosts: hosts.of}), "ws")
	goes := func() bool { // no server has this name; reports whether a connection is attempted
		response, err := client.Get("https://unknown.invalid/")
		if err == nil {
			_ = response.Body.Close()
		}
		return egress.ReasonOf(err) != egress.ReasonNotNamed
	}
	for _, step := range []struct {
		does func()
		goes bool
		asks int
	}{
		{func() {}, true, 1},
		{func() { entries = []string{"api.example.com"}; now = now.Add(hostsTTL - time.Millisecond) }, true, 1},
		{func() { now = now.Add(time.Millisecond) }, false, 2},
		{func() { entries = []string{"unknown.invalid"} }, false, 2},
		{func() { hosts.cache.Clear() }, true, 3},
	} {
		step.does()
		if got := goes(); got != step.goes || asked != step.asks {
			t.Errorf("it goes: %v, and the database was asked %d times; want %+v", got, asked, step)
		}
	}
}
