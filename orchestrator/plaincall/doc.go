// Package plaincall calls a provider without a session, within the budgets of its workspace.
package plaincall
