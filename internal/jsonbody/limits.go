package jsonbody

// What may be sent, in bytes.
const (
	MaxBody  = 1 << 20  // a request's body
	MaxEvent = 64 << 10 // the body of a call of a webhook
	// MaxReport bounds what a service says of its work, with the result.
	MaxReport = 256 << 10
	// MaxParams bounds the params of one command, and all else that is kept as JSON.
	MaxParams = 1 << 20
	MaxAnswer = 2 << 20 // the whole of a model's answer, or the arguments of a call
)

// What JSON from outside may hold, whoever sends it.
const (
	MaxDepth  = 64
	MaxValues = 20_000
	MaxName   = 1_000 // bytes of a field's name
)

// What is told of mistakes. Together they keep an answer below 64 KiB, however its
// characters are escaped.
const (
	MaxMistakes  = 20
	MaxShownName = 100 // characters of a name in a pointer
	MaxPointer   = 400 // bytes of a pointer
	MaxMessage   = 300 // characters of a message
)

// Rules say how strict a reader is.
type Rules struct {
	Bytes int
	// Lenient reads what a model wrote: of two fields with one name the last counts, and
	// what text may not hold becomes U+FFFD. From everybody else these are mistakes.
	Lenient bool
}

var (
	Request = Rules{Bytes: MaxBody}
	Event   = Rules{Bytes: MaxEvent}
	Params  = Rules{Bytes: MaxParams, Lenient: true}
	Answer  = Rules{Bytes: MaxAnswer, Lenient: true}
)
