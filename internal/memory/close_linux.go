package memory

import "golang.org/x/sys/unix"

// Close denies other programs of the server's user access to its memory and its environment,
// which contain its secrets: programs that connectors start run as that user.
func Close() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
