package testkit

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The contract declares one response for all errors; its description lists the codes by status:
//
//   - 404 what it means: `not_found`, `another_code`
var (
	statusItem = regexp.MustCompile(`(?m)^- (\d{3}) ((?:.|\n  )*)`)
	codeName   = regexp.MustCompile("`([a-z][a-z0-9_]+)`")
)

// notCodes are names in that list that are fields of a problem, not codes.
var notCodes = map[string]bool{"phase": true, "session_status": true, "decision": true, "errors": true, "outcome": true, "request_id": true}

func problemCodes(doc *openapi3.T) map[string]int {
	out := map[string]int{}
	if r := doc.Components.Responses["Problem"]; r != nil && r.Value.Description != nil {
		for _, item := range statusItem.FindAllStringSubmatch(*r.Value.Description, -1) {
			status, _ := strconv.Atoi(item[1]) // three digits
			for _, name := range codeName.FindAllStringSubmatch(item[2], -1) {
				if !notCodes[name[1]] {
					out[name[1]] = status
				}
			}
		}
	}
	return out
}

// ProblemCodes returns the problem codes in the contract, with the status of each.
func ProblemCodes(t testing.TB) map[string]int {
	t.Helper()
	loaded, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	return loaded.kinds
}

// checkProblem checks that the contract lists the code of a problem with its status.
func (c *ContractTransport) checkProblem(r *http.Request, res *http.Response, body []byte) {
	var p struct {
		Code   string `json:"code"`
		Status int    `json:"status"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		c.reportf("%s %s: the problem %d is not JSON: %v\n%s", r.Method, r.URL.Path, res.StatusCode, err, body)
		return
	}
	if status, listed := c.kinds[p.Code]; !listed || status != res.StatusCode || p.Status != res.StatusCode {
		c.reportf("%s %s: the contract does not list the code %q with the status %d\n%s", r.Method, r.URL.Path, p.Code, res.StatusCode, body)
	}
}
