// Command fermata is the server and its command line. This package is the only place
// that knows every other one.
package main

import (
	"fmt"
	"os"

	_ "time/tzdata" // time zones on images that have none
)

// version and commit are set when a release is built.
var (
	version = "dev"
	commit  = "unknown"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fermata:", err)
		os.Exit(1)
	}
}
