// Package files takes what people upload: it finds what a file is by its content, writes
// pictures anew, keeps texts as UTF-8, and refuses the rest.
package files
