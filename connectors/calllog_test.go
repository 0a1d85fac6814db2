package connectors

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// TestAConnectorCallIsLoggedWithItsCommand, by its name in the catalogue.
func TestAConnectorCallIsLoggedWithItsCommand(t *testing.T) {
	var out bytes.Buffer
	log := zerolog.New(&out)
	CallReport{ConnectorID: "con_1", Command: "SHOP.ORDER", Outcome: "ok", Took: time.Second}.Log(&log)
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["connector"] != "con_1" || line["command"] != "SHOP.ORDER" || line["took_ms"] != 1000.0 {
		t.Errorf("the line is %v", line)
	}
}
