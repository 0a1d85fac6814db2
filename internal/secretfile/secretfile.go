// Package secretfile reads secrets from files, as container platforms provide them.
package secretfile

import (
	"fmt"
	"os"
	"strings"
)

// Fill reads the file of each value, if one is named, into the value. A secret given both ways is an
// error: one of the two would be ignored.
func Fill(pairs map[*string]string) error {
	for value, path := range pairs {
		if path == "" {
			continue
		}
		if *value != "" {
			return fmt.Errorf("a secret was set twice: directly and by the file %s; remove one of them", path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a secret: %w", err)
		}
		*value = strings.TrimSpace(string(b))
	}
	return nil
}
