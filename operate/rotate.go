package operate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/repository/outside"
)

// rotated is the result of re-encrypting the stored secrets.
type rotated struct {
	Resealed int      `json:"resealed"`
	Already  int      `json:"already"`
	Lost     []string `json:"unreadable,omitempty"`
}

// Rotation re-encrypts everything that an older key encrypted with the newest one, one secret at a time: if it is
// interrupted, the next one continues.
type Rotation struct {
	Keys    *seal.Keys
	Secrets *outside.SecretStore
	// Place is the place that a secret is bound to.
	Place func(*outside.Sealed) (seal.Place, error)
}

// Run re-encrypts the secrets and reports the result; it returns an error if some cannot be decrypted.
func (r *Rotation) Run(ctx context.Context, printed Printed, out io.Writer) error {
	if !r.Keys.Any() {
		return errors.New("there is no secret key to encrypt with: set FERMATA_SECRET_KEY to the new key, a comma, and the old one")
	}
	done, err := r.rotate(ctx)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s re-encrypted, %s already encrypted with the newest key.",
		domain.Plural(done.Resealed, "secret was", "secrets were"), domain.Plural(done.Already, "was", "were"))
	if len(done.Lost) == 0 {
		text += " The older keys are no longer needed: remove them from FERMATA_SECRET_KEY on all nodes."
	}
	if err := printed.Say(out, done, text); err != nil || len(done.Lost) == 0 {
		return err
	}
	return fmt.Errorf("no configured key decrypts %s: %v. Nothing was changed there. "+
		"List the key that encrypted them after the others, or enter them again", domain.Many(len(done.Lost), "secret"), done.Lost)
}

func (r *Rotation) rotate(ctx context.Context) (*rotated, error) {
	newest := r.Keys.Head()
	all, err := r.Secrets.SealedWith(ctx, seal.Head)
	if err != nil {
		return nil, err
	}
	older, err := r.Secrets.SealedOtherwise(ctx, newest)
	if err != nil {
		return nil, err
	}
	done := &rotated{Already: all[newest]}
	for i := range older {
		of := &older[i]
		secret, at, err := r.open(of)
		if err != nil {
			done.Lost = append(done.Lost, fmt.Sprintf("the %s of %s (workspace %s)", of.What, of.ID, of.WorkspaceID))
			continue
		}
		sealed, err := r.Keys.Seal(secret, at)
		if err != nil {
			return nil, err
		}
		err = r.Secrets.Reseal(ctx, of, sealed)
		switch {
		case err == nil:
			done.Resealed++
		case !errors.Is(err, outside.ErrChangedMeanwhile): // the concurrent change encrypted it with the newest key
			return nil, err
		}
	}
	return done, nil
}

// open returns a decrypted secret and its place.
func (r *Rotation) open(of *outside.Sealed) (secret string, at seal.Place, err error) {
	if at, err = r.Place(of); err != nil {
		return "", nil, err
	}
	secret, err = r.Keys.Open(of.Text, at)
	return secret, at, err
}
