package gemini_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/providers/gemini"
	"github.com/fermata-dev/fermata/providers/gemini/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// The library writes to the standard log. Whatever the tests of this package do to
// it, nothing may come out there.
func TestMain(m *testing.M) {
	var written bytes.Buffer
	log.SetOutput(&written)
	code := m.Run()
	if written.Len() > 0 {
		fmt.Fprintf(os.Stderr, "the library wrote to the log:\n%s", written.String())
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func TestContract(t *testing.T) {
	suite.Run(t, fake.Gemini().Wire(gemini.Kind()))
}

func TestConnectionsAreKept(t *testing.T) { suite.OneConnection(t, fake.Gemini(), gemini.Kind()) }
