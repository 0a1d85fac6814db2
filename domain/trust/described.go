package trust

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Described are the different sources of the words that commands are described with.
func Described(specs []domain.CommandSpec) []domain.Provenance {
	var all []domain.Provenance
	for i := range specs {
		if from := specs[i].Described(); from != nil && !slices.Contains(all, *from) {
			all = append(all, *from)
		}
	}
	return all
}
