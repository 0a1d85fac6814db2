// Package outside has the handlers for what connects the server with others: providers of models, connectors and the
// sign-ins to their servers, webhooks, the tasks of other services with their callbacks, and agents.
package outside
