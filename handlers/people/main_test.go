package people_test

import (
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }
