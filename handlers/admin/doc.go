// Package admin has the handlers for the server itself: health, status, metrics, workspaces, the contract and the pages of
// problems.
package admin
