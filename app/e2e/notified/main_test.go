// Package notified tests notifications of open approvals, and answers to them from mails and pushes.
package notified

import (
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
