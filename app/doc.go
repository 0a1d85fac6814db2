// Package app is the process: it wires the server together, starts it and stops it. It is
// the only package that knows every other one (but the command line). A program that wants
// a Fermata server inside makes one with New, and talks to it over HTTP.
package app
