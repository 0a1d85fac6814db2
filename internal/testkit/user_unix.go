//go:build unix

package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the user that runs the server: PostgreSQL refuses to run as root.
type account struct{ credential *syscall.Credential }

// ordinaryUser is the current user, or for root an unprivileged one, who becomes the owner of the folder.
func ordinaryUser(dir string) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(dir, int(uid), int(gid))); err != nil {
			return account{}, fmt.Errorf("give the folder of PostgreSQL to %s: %w", name, err)
		}
		return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody: run the tests as an unprivileged user")
}

func (a account) run(cmd *exec.Cmd) {
	cmd.Dir = "/"
	if a.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	}
}
