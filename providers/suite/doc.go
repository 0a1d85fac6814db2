// Package suite is the contract that every provider passes, against a fake of its own
// wire: what an answer, a failure and a cut are, whatever the vendor sends.
//
// A wire says how to write a Reply in its own form; Run does the rest.
package suite
