//go:build !unix

package testkit

import "os/exec"

type account struct{}

func ordinaryUser(string) (account, error) { return account{}, nil }

func (account) run(*exec.Cmd) {}
