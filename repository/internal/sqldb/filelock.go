package sqldb

import "fmt"

// HeldError means that another process uses a SQLite file.
type HeldError struct{ Lock string }

func (e *HeldError) Error() string {
	return fmt.Sprintf("another process uses this database (%s is locked): stop it first, "+
		"or use PostgreSQL, which several processes may share", e.Lock)
}
