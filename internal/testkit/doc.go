// Package testkit contains helpers for the tests of several packages.
package testkit
