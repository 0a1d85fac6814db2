// Package auth says who makes a request: for which workspace, with which role.
//
// There are three ways in. A key of one workspace, of which only the hash is kept.
// The root key from the environment, which manages workspaces. And, on a server that
// listens on loopback and has neither, no credentials at all: whoever can reach it
// owns the machine. That open door is guarded against web pages that the owner's
// browser happens to show: they can send requests to loopback too.
package auth
