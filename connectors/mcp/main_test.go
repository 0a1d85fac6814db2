package mcp

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Nothing that a connection began outlives it. The conformance runner starts this very
// program as the client that it looks at.
func TestMain(m *testing.M) {
	if scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); scenario != "" {
		if err := runScenario(scenario, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, scenario, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
