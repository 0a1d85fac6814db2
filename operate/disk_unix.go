//go:build !windows

package operate

import "syscall"

// freeBytes returns the space on a disk that is available to unprivileged users, or -1 if it is unknown.
func freeBytes(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // the types differ from system to system
}
