// Package files accepts uploads: it determines a file's type by its content, re-encodes pictures, stores
// texts as UTF-8, and rejects the rest.
package files
