package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// target is a platform to build for.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "-" + t.arch }

// binary is the program's file name on the platform.
func (t target) binary() string {
	if t.system == "windows" {
		return "fermata.exe"
	}
	return "fermata"
}

// build builds the program for a platform at path: static, without local paths and version control data, so
// that the build is reproducible.
func build(ctx context.Context, from source, t target, path string) error {
	flags := "-s -w -buildid= -X main.version=" + from.version + " -X main.commit=" + from.commit
	command := exec.CommandContext( //nolint:gosec // the arguments come from the build
		ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/fermata")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.arch, "GOFLAGS=")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", t, err)
	}
	return nil
}
