package suite

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// tickets: of many concurrent uses of one ticket exactly one succeeds.
func tickets(w *world) {
	ctx := w.Context()
	ticket := &people.Ticket{
		Hash: "h1", WorkspaceID: "other", Role: domain.RoleViewer, Name: "key_1", KeyHash: "k", ExpiresAt: T0.Add(time.Minute),
	}
	w.ok(w.Keys.InsertTicket(ctx, ticket))
	var all sync.WaitGroup
	var in atomic.Int32
	for range 8 {
		all.Go(func() {
			got, err := w.Keys.TakeTicket(ctx, "h1")
			if err != nil {
				w.Errorf("take the ticket: %v", err)
			}
			if got != nil {
				in.Add(1)
				w.equal(got, ticket, "the ticket")
			}
		})
	}
	all.Wait()
	w.equal(in.Load(), int32(1), "admitted")

	var err error
	for i := 0; err == nil && i <= 1000; i++ {
		err = w.Keys.InsertTicket(ctx, &people.Ticket{Hash: fmt.Sprintf("many%d", i), WorkspaceID: "other", Name: "key_1", KeyHash: "k", ExpiresAt: T0.Add(time.Minute)})
	}
	w.code(err, domain.CodeUnavailable)
	w.ok(w.Keys.InsertTicket(ctx, &people.Ticket{Hash: "h4", WorkspaceID: "other", Name: "key_2", KeyHash: "l", ExpiresAt: T0.Add(time.Minute)}))

	w.ok(w.Keys.InsertTicket(ctx, &people.Ticket{Hash: "h2", WorkspaceID: "other", Role: domain.RoleAdmin, ExpiresAt: T0.Add(time.Minute)}))
	w.pass(2 * time.Minute)
	w.ok(w.Keys.InsertTicket(ctx, &people.Ticket{Hash: "h3", WorkspaceID: "other", Role: domain.RoleAdmin, ExpiresAt: T0.Add(time.Hour)}))
	got, err := w.Keys.TakeTicket(ctx, "h2")
	w.ok(err)
	if got != nil {
		w.Errorf("a ticket that has expired is still there: %+v", got)
	}
}
