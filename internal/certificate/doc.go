// Package certificate loads the TLS certificate of a server, reloads it when its files change, and checks its validity.
package certificate
