package outside

import (
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

func TestMain(m *testing.M) { harness.MainOrChild(m, &harness.Serving{}) }
