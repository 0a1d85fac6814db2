// Package mergepatch has JSON merge patches (RFC 7396): of any JSON value (Merge), and of the fields of a noun (Patch).
package mergepatch
