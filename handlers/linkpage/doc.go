// Package linkpage renders the page behind a signed link to an approval: the question, and the buttons to answer
// it, on any device. It is one HTML document in the reader's language, without a framework and without further
// requests.
//
// Showing it decides nothing. The nonce that an answer needs besides the link (docs/adr/0054) is put into the form
// by the page's script when a person presses a button; without scripts, the person types six figures.
package linkpage
