package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// target is a platform that is built for.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "-" + t.arch }

// binary is the name of the program on the platform.
func (t target) binary() string {
	if t.system == "windows" {
		return "fermata.exe"
	}
	return "fermata"
}

// build makes the program for a platform at path: static, without paths of this machine and
// without what its version control says, so that anybody can make the same bytes.
func build(ctx context.Context, from source, t target, path string) error {
	flags := "-s -w -buildid= -X main.version=" + from.version + " -X main.commit=" + from.commit
	command := exec.CommandContext( //nolint:gosec // who builds says what is built, and where
		ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/fermata")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.arch, "GOFLAGS=")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", t, err)
	}
	return nil
}
