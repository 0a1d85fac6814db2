// Package secretfile reads secrets that are given as files, as container platforms do.
package secretfile

import (
	"fmt"
	"os"
	"strings"
)

// Fill reads the file beside each value, where one is named, and puts what it holds into
// the value. A secret that is given twice is refused: one of the two would be ignored.
func Fill(pairs map[*string]string) error {
	for value, path := range pairs {
		if path == "" {
			continue
		}
		if *value != "" {
			return fmt.Errorf("a secret was given twice: by itself and as the file %s; keep one", path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a secret: %w", err)
		}
		*value = strings.TrimSpace(string(b))
	}
	return nil
}
