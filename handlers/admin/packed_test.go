package admin

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/fermata-dev/fermata"
)

// TestThePackedContractIsTheContract unpacks what is served.
func TestThePackedContractIsTheContract(t *testing.T) {
	unpacked, err := gzip.NewReader(bytes.NewReader(contractYAML().packed))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(text, fermata.OpenAPI) {
		t.Errorf("what is packed is something else: %v", err)
	}
}
