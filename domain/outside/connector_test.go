package outside

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func TestWhoseDescriptionsAreReviewed(t *testing.T) {
	yes, no := true, false
	asListed, notAsListed := json.RawMessage(`{"offer_read_only":true}`), json.RawMessage(`{}`)
	for name, c := range map[string]struct {
		kind     ConnectorKind
		config   json.RawMessage
		reviewed *bool
		effect   domain.CommandEffect
		want     bool
	}{
		"written by a person":                     {ConnectorHTTP, notAsListed, nil, domain.EffectRead, true},
		"offered as listed":                       {ConnectorMCP, asListed, &no, domain.EffectRead, false},
		"offered as listed, the rule taken back":  {ConnectorMCP, notAsListed, &no, domain.EffectRead, false},
		"offered as listed, then given an effect": {ConnectorMCP, asListed, &no, domain.EffectIdempotent, false},
		"looked at":                                  {ConnectorMCP, asListed, &yes, domain.EffectRead, true},
		"stored before, without the rule":            {ConnectorMCP, notAsListed, nil, domain.EffectRead, true},
		"stored before, with the rule":               {ConnectorMCP, asListed, nil, domain.EffectRead, false},
		"stored before, and never offered as listed": {ConnectorMCP, asListed, nil, domain.EffectNonIdempotent, true},
	} {
		connector := &Connector{Kind: c.kind, Config: c.config}
		if got := connector.Reviewed(&ConnectorCommand{Effect: c.effect, Reviewed: c.reviewed}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
