// Package memory returns memory to the operating system when the process is idle, and denies other programs access to it.
package memory
