package providers

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Finish is what a vendor's reason for the end of an answer means, whatever its wording.
type Finish string

const (
	FinishNone       Finish = ""           // no reason was given
	FinishStop       Finish = "stop"       // the model said all that it meant to say
	FinishCalls      Finish = "calls"      // it waits for the results of its calls
	FinishLength     Finish = "length"     // cut at a limit of tokens
	FinishFiltered   Finish = "filtered"   // cut by a filter or a policy
	FinishMalformed  Finish = "malformed"  // the vendor could not read the model's call
	FinishBroken     Finish = "broken"     // the vendor failed, or gave up, in the middle
	FinishOverloaded Finish = "overloaded" // the vendor ran out of resources in the middle
	FinishUnknown    Finish = "unknown"    // a word that is in no table: never taken for "stop"
)

// finishWords are the vendors' words without case, spaces, hyphens and underscores.
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

// FinishOf reads a vendor's reason for the end of an answer: MAX_TOKENS, end_turn, toolUse,
// FinishReason.SAFETY. A word that is not known is FinishUnknown.
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
	if i := strings.LastIndexByte(letters, '.'); i >= 0 { // an enumeration written with its type
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

// failures are what the endings of an answer that is none are told as.
var finishFailures = map[Finish]*Error{
	FinishFiltered:   {Class: ClassRefused, Message: "the provider's content filter stopped the answer"},
	FinishBroken:     {Class: ClassNetwork, Message: "the provider reported a failure in the middle of the answer"},
	FinishOverloaded: {Class: ClassOverloaded, Message: "the provider ran out of resources in the middle of the answer"},
}

// Failure is the error of an answer that ended so, nil where there is an answer all the same.
// reason is the vendor's own word, text what of the answer had come.
func (f Finish) Failure(reason, text string) *Error {
	known := finishFailures[f]
	if known == nil {
		return nil
	}
	e := *known
	e.Message += " (" + cut(reason, maxReason) + ")"
	e.Text = text
	return &e
}

const maxReason = 60 // characters of a vendor's word that are shown

// Incomplete marks an answer that did not come to its end. None of its calls is run, however
// whole it looks: their names alone stay, so that the model is told.
func Incomplete(raw *domain.RawAnswer, stop, reason string, calls []string) *domain.RawAnswer {
	raw.StopReason, raw.Calls, raw.CutCalls = stop, nil, calls
	if stop != domain.StopLength {
		raw.StopDetail = cut(reason, maxReason)
	}
	return raw
}
