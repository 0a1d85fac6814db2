// Package configured manages the providers that a workspace has configured: it stores their configs
// with sealed keys, selects the one that a session calls, and guards it with a circuit breaker, so
// that calls that would fail are not made. The breaker state is local to this process and only
// saves calls; nothing durable depends on it.
package configured
