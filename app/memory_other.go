//go:build !linux

package app

// closeMemory does nothing: only Linux has such a setting.
func closeMemory() error { return nil }
