package rounds

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/lately"
)

// Names remembers which sessions clients mean by names of their own. A session keeps its name for
// as long as it is there, and nothing is sent to one that is gone: a message that is refused is
// looked up as if nothing were remembered.
type SessionNames struct {
	known *lately.Memory[externalName, string]
}

type externalName struct{ workspace, name string }

// namesLast is how long a name is remembered that is used.
const namesTTL = time.Minute

// NewNames makes a memory without names.
func NewSessionNames(c clock.Clock) *SessionNames {
	return &SessionNames{lately.New[externalName, string](c, namesTTL)}
}

// ByName finds sessions by names that are not ours.
type SessionsByName interface {
	SessionByExternalID(ctx context.Context, ws, externalID string) (*domain.Session, error)
}

// Session is the id of the session that clients of a workspace know by a name. It may be gone by now.
func (n *SessionNames) Session(ctx context.Context, record SessionsByName, workspace, name string) (string, error) {
	return n.known.Get(externalName{workspace, name}, func() (string, bool, error) {
		s, err := record.SessionByExternalID(ctx, workspace, name)
		if err != nil {
			return "", false, err
		}
		return s.ID, true, nil
	})
}

// Refused is told of a message that the session of a name did not take: it may be gone.
func (n *SessionNames) ForgetMissing(workspace, name string, err error) {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		n.known.ForgetOne(externalName{workspace, name})
	}
}
