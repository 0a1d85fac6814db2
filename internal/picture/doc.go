// Package picture reads pictures that strangers send: it looks at how large one is before
// it decodes it, decodes one at a time within a bound of memory, and writes it anew, smaller
// where it is large and without whatever else was in the file.
package picture
