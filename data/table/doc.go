// Package table is the form that the entries of a tool have as a CSV file: what is
// written comes back as it was, no spreadsheet runs a cell of it, and files that people
// made with theirs are read.
package table
