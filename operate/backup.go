package operate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fermata-dev/fermata/repository/maintenance"
)

// BackupSQLite copies the database at path to target while others write to it, and says
// what is in the copy, which was read from end to end.
func BackupSQLite(ctx context.Context, path, target string) (*Contents, error) {
	if err := free(target); err != nil {
		return nil, err
	}
	var held *Contents
	err := maintenance.CopySQLite(ctx, path, target, func(part string) (err error) {
		held, err = inspectSQLite(ctx, part)
		return err
	})
	if err != nil {
		return nil, err
	}
	held.File = target
	return held, nil
}

// free demands that nothing is at a path: a backup never takes the place of another one.
func free(path string) error {
	switch _, err := os.Lstat(path); {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", path, err)
	}
	return fmt.Errorf("%s is there already, and was left as it is: give another name, or move it away", path)
}
