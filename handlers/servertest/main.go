package servertest

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, and looks for leaks once the vendor has ended.
func Main(m *testing.M) { goleak.VerifyTestMain(withVendor{m}) }

type withVendor struct{ m *testing.M }

func (w withVendor) Run() int {
	defer TheVendor.Stop()
	return w.m.Run()
}
