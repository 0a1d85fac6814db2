package house

// Code over the limits, on purpose or for now: each entry may shrink, and none may grow. An entry that is
// no longer needed fails.

var longFunctions = map[string]int{}

var largeReceivers = map[string]int{
	"stream/bus.Node":          47,
	"repository/userdata.Data": 44, // the user's data, five nouns
	"orchestrator.driver":      41,
}

var manyDependencies = map[string]int{
	"app.Config":          22, // all of an operator's settings
	"orchestrator.Config": 15,
}

// wideLines are tables of tags and of texts that cannot be wrapped.
var wideLines = map[string]int{
	"providers/gemini/config.go":    6,
	"providers/anthropic/config.go": 4,
	"providers/openai/schema.go":    3,
	"providers/timeouts.go":         3,
	"api/requests/main.go":          1,
	"operate/secretkey.go":          1,
	"commands/action_documents.go":  1,
	"commands/modules/modules.go":   1,
	"handlers/routes.go":            1,
	"internal/visible/visible.go":   1,
	"repository/usage.go":           1,
}

// schedulerTested is the minimum number of test lines per hundred lines of code in the scheduler and its
// subpackages.
const schedulerTested = 100
