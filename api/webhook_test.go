package api_test

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// The contract lists the types of the log, all of them, wherever a webhook names its own.
func TestTheContractListsTheTypesOfTheLog(t *testing.T) {
	var listed []string
	for _, v := range testkit.LoadContract(t).Components.Schemas["LogType"].Value.Enum {
		listed = append(listed, v.(string))
	}
	for _, kind := range domain.LogTypes {
		if !slices.Contains(listed, string(kind)) {
			t.Errorf("%s is not in the contract", kind)
		}
	}
	if len(listed) != len(domain.LogTypes) {
		t.Errorf("the contract lists %d types, there are %d", len(listed), len(domain.LogTypes))
	}
}
