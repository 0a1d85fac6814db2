package people

// For the tests of this package.
var (
	OwnPath = ownPath
)
