package providers

import (
	"slices"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
)

// Prefix keeps the encoded commands and levels of the last prompt: they are large and
// hardly ever change.
type Prefix struct{ last atomic.Pointer[encodedPrefix] }

type encodedPrefix struct {
	system, userData string
	commands         []domain.CommandSpec
	encoded          []byte
}

// Bytes are the prompt's levels and these commands as encode writes them, or as it wrote
// them the last time, if they are the same.
func (p *Prefix) Bytes(prompt *domain.Prompt, commands []domain.CommandSpec, encode func() []byte) []byte {
	if l := p.last.Load(); l != nil && l.system == prompt.System && l.userData == prompt.UserData &&
		slices.EqualFunc(l.commands, commands, sameCommand) {
		return l.encoded
	}
	l := &encodedPrefix{system: prompt.System, userData: prompt.UserData, commands: commands, encoded: encode()}
	p.last.Store(l)
	return l.encoded
}

// sameCommand compares texts; where they are shared, as the catalogue's are, this costs
// no more than comparing pointers.
func sameCommand(a, b domain.CommandSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Params) == string(b.Params)
}
