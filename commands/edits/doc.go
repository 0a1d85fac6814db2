// Package edits changes a long text in places, without writing all of it again.
package edits
