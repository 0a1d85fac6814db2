//go:build !unix

package mcp

import "os/exec"

// ownGroup does nothing: without process groups only the process itself is killed.
func ownGroup(*exec.Cmd) {}

func killGroup(process *exec.Cmd) {
	_ = process.Process.Kill() // it may have exited
}
