package suite

import "testing"

// Run tells every story to a database.
func Run(t *testing.T, open Open) {
	for name, story := range map[string]func(w *world){
		"commit numbers everything once":       commitNumbers,
		"eight writers leave no gap":           concurrentWriters,
		"of many who decide each is heard":     oneWins,
		"a stale write is refused":             staleRefused,
		"a wait can be called off":             calledOff,
		"what is refused leaves nothing":       refusals,
		"data and outcome are stored as one":   actions,
		"a session comes back as it was":       sessionRoundTrip,
		"a message comes back byte for byte":   messageRoundTrip,
		"one session holds the slot":           oneHolder,
		"a slot that goes round is never lost": slotGoesRound,
		"the queue is first in first out":      queueing,
		"who waits for the slot":               waitingFor,
		"a session at work has a driver":       leases,
		"timers":                               timers,
		"automations":                          automations,
		"occurrences of an automation":         occurrences,
		"runs of an automation":                runs,
		"who waits for a provider":             networkWaiters,
		"what is spent and reserved":           spending,
		"a deleted session leaves its traces":  deletion,
		"a view shows everything":              everythingInView,
		"there is no way back":                 noWayBack,
		"messages wait their turn":             turnsInInbox,
		"made and moved in one change":         madeAndMoved,
		"the user's data":                      dataRules,
		"documents and tool types":             documents,
		"a deletion is undone":                 undoing,
		"what was deleted leaves for good":     forGood,
		"what is written is found":             searching,
		"a search takes whatever is typed":     searchInputs,
		"words are found however written":      searchWords,
		"pages of a search make the whole":     searchPages,
		"what was deleted is not found":        searchDeletions,
		"drafts are found by people":           searchDrafts,
		"statistics":                           statistics,
		"pages make the whole":                 cursors,
		"a request key works once":             requestKeys,
		"a lost request key":                   lostKeys,
		"a ticket opens once":                  tickets,
		"configuration":                        configuration,
		"keys":                                 keys,
		"the last of many keys":                lastKey,
		"the log is pruned":                    pruning,
		"a timeline is whole and in order":     timeline,
		"usage is what a plain sum says":       usage,
		"workspaces do not see each other":     isolation,
	} {
		t.Run(name, func(t *testing.T) { story(newWorld(t, open)) })
	}
}
