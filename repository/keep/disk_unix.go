//go:build !windows

package keep

import "syscall"

// freeBytes is the room that a disk has left for others than root, -1 where nobody says.
func freeBytes(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // the types differ from system to system
}
