// Package outside holds the nouns that connect a workspace with other services: connectors and their commands,
// sign-ins at other services, providers of models, webhooks and push subscriptions.
package outside
