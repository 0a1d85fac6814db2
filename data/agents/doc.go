// Package agents keeps the definitions of agents: the built-in ones, and those that a
// workspace has made or changed.
package agents
