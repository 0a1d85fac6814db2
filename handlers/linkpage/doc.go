// Package linkpage is the page behind a signed link to an approval: what is asked, and the
// buttons to answer it, for whoever opens it on whatever is at hand. It is one document of
// HTML in the reader's language, without a framework and without a request to anywhere.
//
// Showing it decides nothing. What an answer needs besides the link (docs/adr/0054) is put
// into the form by the page's script when a person presses a button; where no script runs,
// the person types six figures.
package linkpage
