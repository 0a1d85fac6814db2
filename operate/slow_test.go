package operate_test

import (
	"testing"

	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// TestACopyWaitsForItsDisk: PostgreSQL ends a transaction of ours that rests for five seconds, which is right for
// what serves people. A copy rests whenever its file is slow to be written or read, and at its end while the disk
// takes all of it: it has an hour.
func TestACopyWaitsForItsDisk(t *testing.T) {
	at := operate.Place{URL: testkit.Postgres(t)}
	s := opened(t, repository.Config{URL: at.URL})
	const ask = "SELECT current_setting('idle_in_transaction_session_timeout')"
	db, err := at.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := at.Begin(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	read := ""
	if err := tx.QueryRowContext(t.Context(), ask).Scan(&read); err != nil || read != "1h" {
		t.Errorf("what is read may rest for %s, %v", read, err)
	}
	loaded := ""
	err = s.Load(t.Context(), func(tx *maintenance.Tx) ([]string, error) { return nil, tx.Get(t.Context(), &loaded, ask) })
	if err != nil || loaded != "1h" {
		t.Errorf("what is loaded may rest for %s, %v", loaded, err)
	}
}
