// Package edgetest serves the edge of the API alone, with stores in memory and routes of the test's own.
package edgetest
