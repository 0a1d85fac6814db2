package handlers

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(withVendor{m}) }

// withVendor ends the vendor, if a test needed one, before leaks are looked for.
type withVendor struct{ m *testing.M }

func (w withVendor) Run() int {
	defer theVendor.stop()
	return w.m.Run()
}
