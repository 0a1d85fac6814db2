package people

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const maxModelName = 200

// checkPrices validates each price and the length of each name separately: names of models contain points, which the
// validator's paths use as separators.
func checkPrices(patch map[string]nullable.Nullable[api.PricePatch]) error {
	var mistakes jsonbody.Mistakes
	for _, model := range slices.Sorted(maps.Keys(patch)) {
		at := "/prices/" + jsonbody.Part(model)
		if strings.TrimSpace(model) == "" || utf8.RuneCountInString(model) > maxModelName {
			mistakes.AddAt(at, "wrong_format", fmt.Sprintf("The name of a model has 1 to %d characters.", maxModelName))
		}
		if patch[model].IsNull() {
			continue
		}
		price := patch[model][true]
		wrong := edge.BrokenRules(&price)
		slices.SortFunc(wrong, func(a, b jsonbody.Mistake) int { return strings.Compare(a.Pointer, b.Pointer) })
		for _, m := range wrong {
			mistakes.AddAt(at+m.Pointer, m.Code, m.Message)
		}
	}
	return edge.Invalid(&mistakes)
}
