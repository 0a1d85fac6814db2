//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a new process group, so that its children are killed with it.
func ownGroup(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(process *exec.Cmd) {
	_ = syscall.Kill(-process.Process.Pid, syscall.SIGKILL) // the group may be empty
}
