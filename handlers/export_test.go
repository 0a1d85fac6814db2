package handlers

// For the tests of this package.
const (
	ByAnyone = byAnyone
)

type (
	Route  = route
	Server = server
)

var (
	NewServer     = newServer
	ProtocolTable = protocolTable
)
