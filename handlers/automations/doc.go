// Package automations has the handlers for automations, their runs, seeds and grants, and for the webhooks that start runs.
// What other services send to a webhook becomes one JSON value (hookbody.go).
package automations
