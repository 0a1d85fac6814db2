// Package documents cuts a long document into parts that fit into one result: below a heading, or from a token on.
package documents
