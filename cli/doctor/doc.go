// Package doctor checks a running server, from its reachability to a test call of the AI, and suggests fixes.
package doctor
