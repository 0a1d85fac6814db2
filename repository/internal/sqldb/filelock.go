package sqldb

import "fmt"

func errHeld(path string) error {
	return fmt.Errorf("another process uses this database (%s is locked): stop it first, "+
		"or use PostgreSQL, which several processes may share", path)
}
