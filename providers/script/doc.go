// Package script is a provider that answers from a script: for tests, demonstrations
// and bug reports. A script is a list of steps; the first one whose conditions hold
// answers, or fails, or hangs, as it says. Without one that fits the call fails with
// what was asked, loudly: a script never makes something up.
package script
