//go:build unix

// Package terminal tests chats in a terminal.
package terminal

import (
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/cli"
)

func TestMain(m *testing.M) {
	harness.MainOrChild(m, &struct {
		cli.Commands    `embed:""`
		harness.Serving `embed:""`
	}{})
}
