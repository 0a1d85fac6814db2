package mcp

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// playServer is set where programs can be played.
var playServer func(mode string)

// Nothing that a connection began outlives it. The conformance runner starts this very
// program as the client that it looks at, and tests start it as a server.
func TestMain(m *testing.M) {
	if scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); scenario != "" {
		if err := runScenario(scenario, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, scenario, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if mode := os.Getenv("FERMATA_TEST_SERVER"); mode != "" && playServer != nil {
		playServer(mode)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
