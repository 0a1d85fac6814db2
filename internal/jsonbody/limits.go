package jsonbody

// Limits of inputs, in bytes.
const (
	MaxBody  = 1 << 20  // a request's body
	MaxEvent = 64 << 10 // the body of a webhook call
	// MaxReport bounds a service's report on a task, including the result.
	MaxReport = 256 << 10
	// maxParams bounds the params of one command, and everything else that is stored as JSON.
	maxParams = 1 << 20
	MaxAnswer = 2 << 20 // a model's whole answer, or the arguments of a call
)

// Limits of the content of untrusted JSON.
const (
	MaxDepth  = 64
	MaxValues = 20_000
	MaxName   = 1_000 // bytes of a field's name
)

// Limits of reported mistakes. Together they keep a response below 64 KiB, even if all characters are
// escaped.
const (
	MaxMistakes  = 20
	MaxShownName = 100 // characters of a name in a pointer
	maxPointer   = 400 // bytes of a pointer
	MaxMessage   = 300 // characters of a message
)

// Rules define how strict a reader is.
type Rules struct {
	Bytes int
	// Lenient is for the output of models: of two fields with one name the last one counts, and invalid
	// characters become U+FFFD. From other sources these are mistakes.
	Lenient bool
}

var (
	Request     = Rules{Bytes: MaxBody}
	Event       = Rules{Bytes: MaxEvent}
	paramLimits = Rules{Bytes: maxParams, Lenient: true}
	Answer      = Rules{Bytes: MaxAnswer, Lenient: true}
)
