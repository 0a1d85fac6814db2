package mcp

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that a connection began outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
