package sqldb

import (
	"fmt"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
)

// TestSeveralReadInOneTransaction: as many as like, and the same; also while the rows of
// one are being read.
func TestSeveralReadInOneTransaction(t *testing.T) {
	w := newGroupWorld(t)
	for i := range 20 {
		w.wantError(w.start(func() error { return w.put(t.Context(), fmt.Sprintf("w%02d", i)) }), "")
	}
	const text = "SELECT id FROM workspaces WHERE id >= $1 ORDER BY id"
	err := w.db.Write(t.Context(), "w00", func(tx *Tx) error {
		return tx.Each(t.Context(), func(rows *sqlx.Rows) error {
			var all sync.WaitGroup
			for g := range 8 {
				all.Go(func() {
					for range 50 {
						var ids []string
						from := fmt.Sprintf("w%02d", g)
						if err := tx.All(t.Context(), &ids, text, from); err != nil || len(ids) != 20-g || ids[0] != from {
							t.Errorf("from %s on there are %v (%v)", from, ids, err)
							return
						}
					}
				})
			}
			all.Wait()
			n := 0
			for ; rows.Next(); n++ {
				var id string
				if err := rows.Scan(&id); err != nil {
					return err
				}
			}
			if n != 20 {
				t.Errorf("the rows that were being read are %d", n)
			}
			return nil
		}, text, "w00")
	})
	if err != nil {
		t.Fatal(err)
	}
}
