// Package acp is what editors talk with: the agent's side of the Agent Client Protocol, on a
// pair of pipes. It is a client of the server like any other, through the API and with a key:
// what was said stays there, and what an editor is told is read from there.
package acp
