// Package testkit is what tests of several packages share.
package testkit
