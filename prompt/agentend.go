package prompt

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// EndOf returns the report of an agent whose answer makes no further calls: that of COMPLETE, the
// question of ASK_PRINCIPAL, or its text, which counts as a question too. acted reports whether the
// agent has executed anything before.
func EndOf(raw *domain.RawAnswer, answer *domain.AIMessage, acted bool) *domain.AgentEnd {
	end := domain.AgentEnd{Outcome: domain.AgentNeedsClarification, Result: strings.TrimSpace(answer.PreText)}
	if answer.Module != nil && end.Result == "" {
		end.Result = compact(answer.Module.Data)
	}
	if !answer.Completed {
		return &end
	}
	completed := raw.Protocol == domain.ProtocolJSON
	for i := range raw.Calls {
		switch params := fieldsOfEnd(&raw.Calls[i]); raw.Calls[i].Name {
		case domain.Complete:
			completed = true
			end.Reason, end.Conclusion = params.Reason, params.Conclusion
			end.Result = cmp.Or(params.Result, params.Summary, end.Result)
		case domain.AskPrincipal:
			end.Result = cmp.Or(params.Question, end.Result)
			return &end
		}
	}
	if completed {
		end.Outcome = domain.AgentCompleted
		if end.Result == "" && end.Conclusion == "" && !acted {
			end.Outcome = domain.AgentDidNothing
		}
	}
	return &end
}

// report appends the text of the call that ends a run or an agent's work to the answer's own text,
// as the final text of the session. A chat does not end by a call.
func report(answer *domain.AIMessage, call *domain.RawCall, kind domain.SessionType) {
	end := fieldsOfEnd(call)
	text := end.Summary
	switch {
	case kind == domain.Chat:
		return
	case kind == domain.Agent && call.Name == domain.AskPrincipal:
		text = end.Question
	case kind == domain.Agent:
		text = joinBy("\n\n", []string{cmp.Or(end.Result, end.Summary), end.Conclusion})
	}
	if strings.TrimSpace(text) != strings.TrimSpace(answer.PreText) {
		answer.Report = text
	}
}

type endFields struct{ Reason, Result, Conclusion, Summary, Question string }

// fieldsOfEnd reads the fields of such a call; values other than strings are rendered as JSON.
func fieldsOfEnd(call *domain.RawCall) endFields {
	fields := map[string]json.RawMessage{}
	params, err := cleanJSON(cmp.Or(strings.TrimSpace(call.Arguments), "{}"))
	if err != nil || json.Unmarshal(params, &fields) != nil {
		return endFields{}
	}
	text := func(name string) string {
		var s string
		if json.Unmarshal(fields[name], &s) == nil {
			return shorten.Bytes(strings.TrimSpace(cleanText(s)), maxReport)
		}
		return shorten.Bytes(string(fields[name]), maxReport)
	}
	return endFields{text("reason"), text("result"), text("conclusion"), text("summary"), text("question")}
}

// maxReport bounds each text of a report in bytes: the maximum of an agent's answer.
const maxReport = 16_000
