package domain

import "math"

// Spent is what counts against the money budgets of a workspace, in US dollars. Days
// and months are those of its calendar.
type Spent struct {
	// Day and Month name the present ones: "2030-01-02", "2030-01".
	Day, Month string
	// Today and ThisMonth are what calls that have ended did cost.
	Today     float64
	ThisMonth float64
	// AutomationToday is what the runs of the session's automation did cost today.
	AutomationToday float64
	// Reserved is what the calls under way of the other sessions may cost at most.
	Reserved float64
}

// Plus counts what one more call of the session cost.
func (s Spent) Plus(cost float64) Spent {
	s.Today += cost
	s.ThisMonth += cost
	s.AutomationToday += cost
	return s
}

// Same reports whether two readings agree except for rounding.
func (s Spent) Same(o Spent) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	return s.Day == o.Day && near(s.Today, o.Today) && near(s.ThisMonth, o.ThisMonth) &&
		near(s.AutomationToday, o.AutomationToday) && near(s.Reserved, o.Reserved)
}

// CallEstimate is what is known of a model before it is called.
type CallEstimate struct {
	// Which model it is: that of a call which is cut has no other record.
	ProviderID, ProviderKind, Model string
	// Before estimates the tokens in front of the history in every prompt; nil if unknown.
	Before func() int
	// MaxTokens limits the answer; 0 if no limit is set.
	MaxTokens int
	// Price returns the cost of a usage; nil, or a nil result, if the model has no price.
	Price func(Usage) *float64
	// Described lists the sources of the command descriptions of other servers, as far as they are cached.
	Described []Provenance
}

// Reserve is what a call with a prompt of about so many tokens may use at most: the
// prompt, none of it cached, and the longest answer.
func (e CallEstimate) Reserve(prompt int) (tokens int64, cost float64) {
	usage := Usage{InputTokens: int64(prompt), OutputTokens: int64(e.MaxTokens)}
	if e.Price != nil {
		if price := e.Price(usage); price != nil {
			cost = *price
		}
	}
	return usage.Total(), cost
}

// Raise is what a person granted beyond a budget, for one of its periods: a round, a
// day, a month.
type Raise struct {
	Limit  string  `json:"limit"`
	Period string  `json:"period"`
	More   float64 `json:"more"`
}

// Values of BudgetQuestion.Scope that concern a session.
const (
	BudgetOfRound   = "round"
	BudgetOfSession = "session"
)

// BudgetQuestion names the exhausted budget, in tokens or US dollars.
type BudgetQuestion struct {
	Limit string `json:"limit"` // its name in the settings
	// Scope is the budget's owner: round, session, automation_day, day or month.
	Scope string `json:"scope"`
	Unit  string `json:"unit"` // "tokens" or "USD"
	// Max is the limit in force, Spent what was used of it, and Reserved what the next
	// call and those under way may use at most.
	Max      float64 `json:"max"`
	Spent    float64 `json:"spent"`
	Reserved float64 `json:"reserved"`
}
