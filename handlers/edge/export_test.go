package edge

// For the tests of this package.
const (
	BodyGrace      = bodyGrace
	BodyWithin     = bodyWithin
	LeastRate      = leastRate
	MaxProblem     = maxProblem
	ShareOfBodies  = shareOfBodies
	WaitForRoom    = waitForRoom
	WriteMiBWithin = writeMiBWithin
)

type (
	Ledger = ledger
)

var (
	CorsShows     = corsShows
	CorsTakes     = corsTakes
	EncodeProblem = encodeProblem
	ExchangeOf    = exchangeOf
	NewLimiter    = newLimiter
	ProblemOf     = problemOf
)
