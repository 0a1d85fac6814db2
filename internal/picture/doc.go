// Package picture reads untrusted pictures: it checks the dimensions before decoding, decodes a few at a
// time within a limit of memory, and re-encodes the result, smaller if it is large and without any other
// content of the file.
package picture
