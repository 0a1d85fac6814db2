// Package notified tells how people hear of what waits for them, and say yes from where they are.
package notified

import (
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
