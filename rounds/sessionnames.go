package rounds

import (
	"context"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
)

// SessionNames caches which sessions clients mean by their own names. A session keeps its name until
// it is deleted, and nothing is sent to a deleted one: a message that is rejected is looked up
// without the cache.
type SessionNames struct {
	known *cache.TTL[externalName, string]
}

type externalName struct{ workspace, name string }

// namesTTL is how long a name is cached after its last use.
const namesTTL = time.Minute

// NewSessionNames returns an empty cache.
func NewSessionNames(c clock.Clock) *SessionNames {
	return &SessionNames{cache.NewTTL[externalName, string](c, namesTTL)}
}

// sessionsByName finds sessions by the names that clients gave them.
type sessionsByName interface {
	SessionByExternalID(ctx context.Context, ws, externalID string) (*domain.Session, error)
}

// isSessionID reports whether a client's name of a session is its id.
func isSessionID(name string) bool {
	id, ok := strings.CutPrefix(name, domain.PrefixSession+"_")
	return ok && len(id) == 32
}

// Session returns the id of the session that the clients of a workspace know by a name, or by its id. The
// session may have been deleted.
func (n *SessionNames) Session(ctx context.Context, record sessionsByName, workspace, name string) (string, error) {
	if isSessionID(name) {
		return name, nil
	}
	return n.known.Get(externalName{workspace, name}, func() (string, bool, error) {
		s, err := record.SessionByExternalID(ctx, workspace, name)
		if err != nil {
			return "", false, err
		}
		return s.ID, true, nil
	})
}

// ForgetMissing removes a name from the cache if err reports that its session is missing.
func (n *SessionNames) ForgetMissing(workspace, name string, err error) {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		n.known.Delete(externalName{workspace, name})
	}
}
