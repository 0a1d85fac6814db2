package machine

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Kinds of circles that a model can go in; a closed set, for the metrics.
const (
	circleSameAnswer  = "same_answer"
	circleSameCall    = "same_call"
	circleAlternating = "alternating"
)

const (
	// circleCalls is how often the same call may have the same result in a round.
	circleCalls = 3
	// circleMemory bounds the calls of a round that are remembered, the latest.
	circleMemory = 64
	// answerMemory is how many answers are remembered: as many as two alternating ones take.
	answerMemory = 4
	// circleWarnings limits the warnings to the AI in one round, for all circles together.
	circleWarnings = 3
	// circleCommand is what of a command's name is kept for the words about a circle.
	circleCommand = 60
)

// polled are the commands that are repeated on purpose, until something has changed outside.
var polled = map[string]bool{"TASKS": true}

// noteAnswer remembers that an answer came, to notice when the same ones come again.
func noteAnswer(s *step, e domain.AIResponseReceived) {
	if e.Hash == "" || onlyPolls(e.Raw) {
		return
	}
	st := &s.session.State
	st.AnswerHashes = append(slices.Clone(st.AnswerHashes), e.Hash)
	st.AnswerHashes = st.AnswerHashes[max(0, len(st.AnswerHashes)-answerMemory):]
	c := circle(s)
	c.Answers++
	c.Found, c.Command, c.GoesOn = "", "", false
	if c.Answers >= answerMemory && alternating(st.AnswerHashes) {
		c.Found, c.GoesOn = circleAlternating, c.Alternated || c.Warned >= circleWarnings
	}
	st.Circle = &c
}

func onlyPolls(raw *domain.RawAnswer) bool {
	return raw != nil && len(raw.Calls) > 0 && !slices.ContainsFunc(raw.Calls, func(c domain.RawCall) bool { return !polled[c.Name] })
}

// sameAnswer: the last three answers are the same.
func sameAnswer(h []string) bool {
	n := len(h)
	return n >= 3 && h[n-1] == h[n-2] && h[n-2] == h[n-3]
}

// alternating: two answers came in turn, twice.
func alternating(h []string) bool {
	n := len(h)
	return n >= 4 && h[n-1] == h[n-3] && h[n-2] == h[n-4] && h[n-1] != h[n-2]
}

// noteCalls records the outcome of each command of a series. Repeated calls with the same outcome are a
// circle, regardless of what is between them; a different outcome is progress, and clears what was before
// it.
func noteCalls(s *step, kind domain.CommandKind, brought []*domain.Execution) {
	c, seen := circle(s), map[string]bool{}
	c.Calls = slices.Clone(c.Calls)
	for _, x := range append(slices.Clone(s.planned), brought...) {
		call, outcome := fingerprints(x)
		if x.Kind != kind || seen[call] || outcome == "" {
			continue // a second one in the same answer is answered by the first
		}
		seen[call] = true
		noteCall(&c, call, outcome, x.Command)
	}
	c.Calls = c.Calls[max(0, len(c.Calls)-circleMemory):]
	s.session.State.Circle = &c
}

func noteCall(c *domain.Circle, call, outcome, command string) {
	one := domain.RepeatedCall{Call: call, Outcome: outcome, Times: 1}
	if i := slices.IndexFunc(c.Calls, func(r domain.RepeatedCall) bool { return r.Call == call }); i >= 0 {
		if c.Calls[i].Outcome == outcome {
			one.Times += c.Calls[i].Times
		} else {
			forgetAnswers(c)
		}
		c.Calls = slices.Delete(c.Calls, i, i+1)
	}
	c.Calls = append(c.Calls, one) // the latest at the end
	if one.Times >= circleCalls && !c.GoesOn {
		c.Found, c.Command = circleSameCall, strings.ToValidUTF8(command[:min(len(command), circleCommand)], "")
		c.GoesOn = one.Times > circleCalls || c.Warned >= circleWarnings
	}
}

// forgetAnswers: something new was learnt, so that the answers before it are no circle.
func forgetAnswers(c *domain.Circle) {
	c.Answers = 0
	if c.Found == circleAlternating {
		c.Found, c.GoesOn = "", false
	}
}

// noteWork records that the latest answer began external work. Only such an answer can bring the AI back
// by itself, by the result of the work, without end.
func noteWork(s *step) {
	st := &s.session.State
	if len(st.AnswerHashes) == 0 {
		return
	}
	c := circle(s)
	c.Work = append(slices.Clone(c.Work), st.AnswerHashes[len(st.AnswerHashes)-1])
	c.Work = c.Work[max(0, len(c.Work)-answerMemory):]
	st.Circle = &c
}

// keepWork keeps the count of external work that the AI began since the last user message.
func keepWork(st *domain.SessionState, old domain.SessionState) {
	if old.Circle != nil && len(old.Circle.Work) > 0 {
		st.Circle = &domain.Circle{Work: old.Circle.Work}
	}
}

// learnt: a result from outside is something new, so that the answers before it are no circle.
func learnt(s *step) {
	c := circle(s)
	forgetAnswers(&c)
	s.session.State.Circle, s.session.State.AnswerHashes = &c, nil
}

// circle is a copy of what is remembered; the one in the state is never changed in place.
func circle(s *step) domain.Circle {
	if s.session.State.Circle == nil {
		return domain.Circle{}
	}
	return *s.session.State.Circle
}

// fingerprints are short hashes of a request and of its outcome; the latter is "" for what did not run, is
// still running, is unknown, or is repeated on purpose.
func fingerprints(x *domain.Execution) (call, outcome string) {
	call = x.CommandID
	if call == "" {
		call = x.Command + " " + string(x.Params)
	}
	switch {
	case polled[x.Command]:
		return short(call), ""
	case x.Status == domain.ExecFailed && x.Error != nil:
		return short(call), short("failed " + x.Error.Code + " " + x.Error.Message)
	case x.Status == domain.ExecSuccess, x.Status == domain.ExecCached:
		return short(call), short("done " + string(x.Result))
	}
	return short(call), ""
}

func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// circleGate ends the round of a model that keeps going in circles after its warnings.
func circleGate(s *step) domain.Event {
	switch c := circle(s); {
	case sameAnswer(s.session.State.AnswerHashes), sameAnswer(c.Work):
		return limitReached{limitCircles, domain.Say("Going in circles: the same answer came three times in a row.",
			"L’IA tourne en rond : la même réponse est venue trois fois de suite."), circleSameAnswer}
	case c.GoesOn && c.Found == circleSameCall:
		return limitReached{limitCircles, domain.Say("Going in circles: the AI called %s again and again with the same result, and went on after it was told.",
			"L’IA tourne en rond : elle a rappelé %s avec le même résultat, et a continué après un avertissement.", c.Command), c.Found}
	case c.GoesOn && c.Found == circleAlternating:
		return limitReached{
			limitCircles,
			domain.Say("Going in circles: the AI gave the same two answers in turn, and went on after it was told.",
				"L’IA tourne en rond : elle a donné tour à tour les deux mêmes réponses, et a continué après un avertissement."),
			c.Found,
		}
	}
	return nil
}

// warnCircle warns the AI, before it is called again, that it goes in circles.
func warnCircle(s *step) {
	c := circle(s)
	if c.Found == "" {
		return
	}
	text := "You are going in circles: the same two answers came in turn, twice."
	if c.Found == circleSameCall {
		text = "You are going in circles: " + c.Command +
			" was called three times in this round with the same params, and had the same result each time."
	}
	s.system(domain.SystemGuidance, text+" Use what you have, do something else, or say what keeps you from going on. "+
		"If you go on like this, the round ends.", nil, "")
	s.change.Circles = append(s.change.Circles, c.Found)
	c.Alternated = c.Alternated || c.Found == circleAlternating
	c.Warned, c.Found, c.Command = c.Warned+1, "", ""
	s.session.State.Circle = &c
}
