// Package cache has the caches of the server. All of them are bounded: TTL for values that expire, Map for values
// that stay valid, LRU for values that are expensive to make again.
package cache
