package events

// For the tests of this package.
const (
	Heartbeat              = heartbeat
	MaxStreamSessions      = maxStreamSessions
	MaxStreamedByKey       = maxStreamedByKey
	MaxStreamedByWorkspace = maxStreamedByWorkspace
)

type (
	StoredEvent = storedEvent
)

var (
	WantsStream = wantsStream
)
