//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the first of a group, so that what it starts goes with it.
func ownGroup(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(process *exec.Cmd) {
	_ = syscall.Kill(-process.Process.Pid, syscall.SIGKILL) // there may be nobody left
}
