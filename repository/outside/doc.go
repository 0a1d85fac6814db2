// Package outside stores what the server reaches outside of itself: providers and connectors with
// their sign-ins and encrypted secrets, the tasks of external services, webhooks and push
// subscriptions with the progress of their deliveries.
package outside
