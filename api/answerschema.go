package api

import (
	"encoding/json"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/schema"
)

// CheckAnswerSchema rejects a JSON Schema that no answer can be asked for by: one that is too large, invalid,
// recursive or contradicts itself. pointer locates it in the request.
func CheckAnswerSchema(answer json.RawMessage, pointer string) error {
	wrong, ok := errors.AsType[*schema.Error](new(schema.Cache).CheckUsable(answer, pointer))
	if !ok {
		return nil
	}
	m := wrong.Mistakes[0]
	return domain.Invalid(m.Pointer, m.Code, "%s", m.Message)
}
