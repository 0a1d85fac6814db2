package providers

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Finish is the normalized reason why an answer ended.
type Finish string

const (
	FinishNone       Finish = ""           // no reason was given
	FinishStop       Finish = "stop"       // the answer is complete
	FinishCalls      Finish = "calls"      // the model waits for the results of its calls
	FinishLength     Finish = "length"     // truncated at a token limit
	FinishFiltered   Finish = "filtered"   // stopped by a filter or a policy
	FinishMalformed  Finish = "malformed"  // the vendor could not parse the model's call
	FinishBroken     Finish = "broken"     // the vendor failed or gave up during the answer
	FinishOverloaded Finish = "overloaded" // the vendor ran out of resources during the answer
	FinishUnknown    Finish = "unknown"    // not in the table: never treated as "stop"
)

// finishWords maps the vendors' values, without case, spaces, hyphens and underscores.
var finishWords = func() map[string]Finish {
	table := map[Finish]string{
		FinishNone: `null none unspecified unfinished notfinished inprogress continue continuation`,
		FinishStop: `stop stopped stopsequence stopsequences stoptoken stopstring stopstringfound stopstr stopcriteria
			stopcriteriamet eos eostoken eosfound endturn endoftext endofturn endofsequence end complete
			completed completion done finish finished success succeeded normal natural word`,
		FinishCalls: `calls toolcall toolcalls tooluse tooluses usetool functioncall functioncalls function requirestools`,
		FinishLength: `length lengthlimit maxlength maxtoken maxtokens maxtokensreached maxoutputtokens maxcompletiontokens
			maxnewtokens maximumtokens maximumlength maxpredictedtokensreached tokenlimit tokenlimitreached
			outputlimit outputtokenlimit limit modellength context contextlength contextlengthreached
			contextlengthexceeded contextlimit contextwindow contextwindowexceeded contextfull
			modelcontextwindowexceeded errorlimit truncated incomplete`,
		FinishFiltered: `contentfilter contentfiltered contentfiltering contentpolicy contentpolicyviolation filter filtered
			safety safetyfilter sensitive sensitivecontent refusal refused moderation moderated blocked block
			blocklist policy policyviolation prohibitedcontent spii recitation language guardrail guardrails
			guardrailintervened modelarmor errortoxic toxic toxicity risk imagesafety imageprohibitedcontent
			imagerecitation`,
		FinishMalformed: `malformed malformedfunctioncall malformedtoolcall malformedtooluse malformedmodeloutput
			malformedresponse unexpectedtoolcall toomanytoolcalls invalidtoolcall tooluseerror toolcallerror`,
		FinishBroken: `error errored err failed failure abort aborted cancel canceled cancelled usercancel usercancelled
			usercanceled userstopped interrupt interrupted timeout timelimit timedout deadlineexceeded
			networkerror internalerror internalservererror servererror modelerror enginerror engineerror
			modelunloaded unload connectionerror disconnected preempted missingthoughtsignature`,
		FinishOverloaded: `insufficientsystemresource insufficientsystemresources insufficientresources overloaded capacity
			resourceexhausted serviceunavailable ratelimit ratelimited`,
	}
	words := map[string]Finish{}
	for finish, list := range table {
		for word := range strings.FieldsSeq(list) {
			words[word] = finish
		}
	}
	return words
}()

// FinishOf normalizes a vendor's finish reason: MAX_TOKENS, end_turn, toolUse, FinishReason.SAFETY.
// Unknown values are FinishUnknown.
func FinishOf(reason string) Finish {
	letters := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ' || r == '_' || r == '-' || r == '\t':
			return -1
		}
		return r
	}, reason)
	if i := strings.LastIndexByte(letters, '.'); i >= 0 { // an enum value with its type
		letters = letters[i+1:]
	}
	if letters == "" {
		return FinishNone
	}
	for _, prefix := range []string{"", "finishreason", "stopreason", "finish", "stop"} {
		if rest, ok := strings.CutPrefix(letters, prefix); ok {
			if finish, known := finishWords[rest]; known {
				return finish
			}
		}
	}
	return FinishUnknown
}

// failures are the errors for endings without an answer.
var finishFailures = map[Finish]*Error{
	FinishFiltered:   {Class: ClassRefused, Message: "the provider's content filter stopped the answer"},
	FinishBroken:     {Class: ClassNetwork, Message: "the provider reported a failure in the middle of the answer"},
	FinishOverloaded: {Class: ClassOverloaded, Message: "the provider ran out of resources in the middle of the answer"},
}

// Failure returns the error for this ending, or nil if there is an answer. reason is the vendor's
// value, and text the part of the answer that was received.
func (f Finish) Failure(reason, text string) *Error {
	known := finishFailures[f]
	if known == nil {
		return nil
	}
	e := *known
	e.Message += " (" + line(reason, maxReason) + ")"
	e.Text = text
	return &e
}

const maxReason = 60 // shown characters of a vendor's value

// Incomplete marks an incomplete answer. None of its calls is executed, even if one looks complete:
// only their names are kept, to inform the model.
func Incomplete(raw *domain.RawAnswer, stop, reason string, calls []string) *domain.RawAnswer {
	raw.StopReason, raw.Calls, raw.CutCalls = stop, nil, calls
	if stop != domain.StopLength {
		raw.StopDetail = line(reason, maxReason)
	}
	return raw
}
