package providers

import (
	"slices"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// Prefix caches the encoded commands and system levels of the last prompt, which are large and
// rarely change.
type Prefix struct{ last atomic.Pointer[encodedPrefix] }

type encodedPrefix struct {
	system, userData string
	commands         []domain.CommandSpec
	encoded          []byte
}

// Bytes returns the encoded levels and commands, from the cache if they are unchanged.
func (p *Prefix) Bytes(prompt *ai.Prompt, commands []domain.CommandSpec, encode func() []byte) []byte {
	if l := p.last.Load(); l != nil && l.system == prompt.System && l.userData == prompt.UserData &&
		slices.EqualFunc(l.commands, commands, sameCommand) {
		return l.encoded
	}
	l := &encodedPrefix{system: prompt.System, userData: prompt.UserData, commands: commands, encoded: encode()}
	p.last.Store(l)
	return l.encoded
}

// sameCommand compares by value; for strings shared with the catalogue this is as cheap as
// comparing pointers.
func sameCommand(a, b domain.CommandSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Params) == string(b.Params)
}
