package bus

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/lib/pq"
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// The listener's goroutine may pause between two attempts to connect when the node stops.
// What it finds afterwards is written nowhere: who owned the log may have gone.
func TestNothingIsLoggedAfterStop(t *testing.T) {
	var log bytes.Buffer
	p := &Postgres{URL: testkit.Postgres(t), Log: zerolog.New(&log)}
	if err := p.Start(t.Context(), []string{"stopped"}, func(string) {}, func() {}); err != nil {
		t.Fatal(err)
	}
	p.changed(pq.ListenerEventDisconnected, errors.New("gone"))
	if log.Len() == 0 {
		t.Fatal("a broken connection is not reported while the node runs")
	}
	if err := p.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	p.changed(pq.ListenerEventDisconnected, errors.New("gone"))
	p.changed(pq.ListenerEventReconnected, nil)
	if log.Len() > 0 {
		t.Errorf("after Stop the log says %s", log.String())
	}
}
