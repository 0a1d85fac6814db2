package configured

import (
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/anthropic"
	"github.com/fermata-dev/fermata/providers/demo"
	"github.com/fermata-dev/fermata/providers/gemini"
	"github.com/fermata-dev/fermata/providers/openai"
	"github.com/fermata-dev/fermata/providers/script"
)

// kinds are the kinds of providers that can be configured.
func kinds(scripts bool) []providers.Kind {
	all := []providers.Kind{anthropic.Kind(), openai.Kind(), gemini.Kind(), openai.Compatible(), demo.Kind()}
	if scripts {
		all = append(all, script.Kind())
	}
	return all
}
