// Package app wires the server together, starts it and stops it. It is the only package, besides the
// command line, that imports all others. A program embeds a Fermata server by calling New, and talks
// to it over HTTP.
package app
