package commands

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
)

// Edit makes a copy of an action with the params a person wrote instead of the AI's:
// checked, with a digest of its own. Pointers of errors begin at the params.
func (c *Catalogue) Edit(ctx context.Context, data Data, env Env, e *domain.Execution, params json.RawMessage) (*domain.Execution, error) {
	entry := c.commands[e.Command]
	if entry == nil || entry.describe == nil {
		return nil, domain.Errorf(domain.CodeInvalid, "%s cannot be edited.", quoted(e.Command))
	}
	own, _, err := canonical(params, true)
	if err == nil {
		err = c.schemas.check(entry.own, own, "")
	}
	if err != nil {
		return nil, err
	}
	edited := *e
	edited.Params, edited.CommandID = own, commandID(e.Command, own)
	described, err := entry.describe(ctx, c.call(data, env, &edited))
	if err != nil {
		return nil, err
	}
	edited.Digest, edited.Summary = digest(&edited, described), described.text
	return &edited, nil
}
