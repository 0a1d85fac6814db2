//go:build !unix

package mcp

import "os/exec"

// ownGroup: there are no groups of processes here, the process alone is killed.
func ownGroup(*exec.Cmd) {}

func killGroup(process *exec.Cmd) {
	_ = process.Process.Kill() // it may have ended
}
