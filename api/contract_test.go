package api_test

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata"
)

// TestContractNamesNoGoTypes: the contract is read by generators that know nothing of this
// repository. What our own types are called stands in overlay.yaml.
func TestContractNamesNoGoTypes(t *testing.T) {
	for i, line := range strings.Split(string(fermata.OpenAPI), "\n") {
		if strings.Contains(line, "x-go-") || strings.Contains(line, "x-oapi-") {
			t.Errorf("openapi.yaml:%d: %s: put it into api/overlay.yaml", i+1, strings.TrimSpace(line))
		}
	}
}
