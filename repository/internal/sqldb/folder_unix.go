//go:build !windows

package sqldb

import (
	"errors"
	"fmt"
	"os"
)

// syncFolder flushes the names in a folder to disk.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the folder %s: %w", path, err)
	}
	return errors.Join(d.Sync(), d.Close())
}
