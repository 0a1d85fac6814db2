package edge

import (
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// maxProblem bounds an error as it is sent, in bytes, and maxDetail its detail, in
// characters. The decision in a 409 was a request body once, and has the limit of one.
const (
	maxProblem = 64 << 10
	maxDetail  = 2_000
)

// encodeProblem encodes a problem. Its texts may quote the request, so they are truncated here, where all errors
// pass.
func encodeProblem(p *problem) []byte {
	bounded := *p
	bounded.Detail = shorten.Characters(p.Detail, maxDetail)
	bounded.Errors = slices.Clone(p.Errors[:min(len(p.Errors), jsonbody.MaxMistakes)])
	for i, e := range bounded.Errors {
		e.Pointer, e.Message = jsonbody.CutPointer(e.Pointer), shorten.Characters(e.Message, jsonbody.MaxMessage)
		bounded.Errors[i] = e
	}
	body, err := json.Marshal(bounded)
	for err == nil && len(body) > maxProblem+len(p.Decision) && len(bounded.Errors) > 0 {
		bounded.Errors = bounded.Errors[:len(bounded.Errors)/2]
		body, err = json.Marshal(bounded)
	}
	if err != nil { // only a decision that is no JSON, and recorded sees to that
		body = []byte("{}")
	}
	return body
}
