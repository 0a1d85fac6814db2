package admin

// For the tests of this package.
var (
	ProblemCodes = problemCodes
)
