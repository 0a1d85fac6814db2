package userdata

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var agentCeiling = transaction.Ceiling{Most: 100, Noun: "agents", From: "agents WHERE 1 = 1"}

// AgentStore stores the definitions of agents and all their versions.
type AgentStore struct{ db *transaction.DB }

// NewAgentStore makes the store of the definitions of agents.
func NewAgentStore(db *transaction.DB) *AgentStore { return &AgentStore{db} }

type agentRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	ID          string      `db:"id,key"`
	Command     string      `db:"command"`
	Definition  string      `db:"definition"`
	Version     int64       `db:"version,version"`
	CreatedAt   sqldb.Stamp `db:"created_at,once"`
	UpdatedAt   sqldb.Stamp `db:"updated_at"`
}

type agentVersionRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	AgentID     string      `db:"agent_id,key"`
	Version     int64       `db:"version,key"`
	Definition  string      `db:"definition,once"`
	CreatedAt   sqldb.Stamp `db:"created_at,once"`
}

// agentText is the stored JSON of a definition.
type agentText struct {
	userdata.AgentFields
	BuiltIn bool `json:"built_in,omitempty"`
}

var (
	agentTable        = sqldb.NewTable[agentRow]("agents")
	agentUpdate       = agentTable.Update()
	agentVersionTable = sqldb.NewTable[agentVersionRow]("agent_versions")
)

func agentRowOf(a *userdata.AgentDefinition) (agentRow, error) {
	definition, err := json.Marshal(agentText{a.AgentFields, a.BuiltIn})
	if err != nil {
		return agentRow{}, fmt.Errorf("write agent %s: %w", a.ID, err)
	}
	return agentRow{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Command: a.Command(), Definition: string(definition), Version: a.Version,
		CreatedAt: sqldb.At(a.CreatedAt), UpdatedAt: sqldb.At(a.UpdatedAt),
	}, nil
}

func (r *agentRow) agent() (*userdata.AgentDefinition, error) {
	var t agentText
	if err := json.Unmarshal([]byte(r.Definition), &t); err != nil {
		return nil, fmt.Errorf("read agent %s: %w", r.ID, err)
	}
	return &userdata.AgentDefinition{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AgentFields: t.AgentFields, BuiltIn: t.BuiltIn,
		Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// Agents lists the agents that were created or changed in a workspace, oldest first.
func (s *AgentStore) Agents(ctx context.Context, workspace string) ([]*userdata.AgentDefinition, error) {
	var rows []agentRow
	err := s.db.All(ctx, &rows, "SELECT "+agentTable.Columns()+" FROM agents WHERE workspace_id = $1 ORDER BY created_at, id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list the agents: %w", err)
	}
	return transaction.Each(rows, (*agentRow).agent)
}

// Agent returns one agent.
func (s *AgentStore) Agent(ctx context.Context, workspace, id string) (*userdata.AgentDefinition, error) {
	var row agentRow
	err := s.db.Get(ctx, &row, "SELECT "+agentTable.Columns()+" FROM agents WHERE workspace_id = $1 AND id = $2", workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("agent")
	}
	if err != nil {
		return nil, fmt.Errorf("read the agent: %w", err)
	}
	return row.agent()
}

// AgentVersion returns one version of an agent, even if the agent was deleted since.
func (s *AgentStore) AgentVersion(ctx context.Context, workspace, id string, version int64) (*userdata.AgentDefinition, error) {
	var row agentVersionRow
	err := s.db.Get(ctx, &row, "SELECT "+agentVersionTable.Columns()+" FROM agent_versions WHERE workspace_id = $1 AND agent_id = $2 "+
		"AND version = $3", workspace, id, version)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("agent")
	}
	if err != nil {
		return nil, fmt.Errorf("read a version of an agent: %w", err)
	}
	return row.agent()
}

// AgentVersions lists a page of an agent's versions, latest first, even if the agent was deleted
// since. The second result is the cursor of the next page, "" at the end.
func (s *AgentStore) AgentVersions(ctx context.Context, workspace, id, cursor string, limit int) (
	[]*userdata.AgentDefinition, string, error,
) {
	after, err := sqldb.ReadCursor(cursor, id)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+agentVersionTable.Columns()+" FROM agent_versions WHERE workspace_id = ? AND agent_id = ?", workspace, id)
	if cursor != "" {
		q.Add(" AND version < ?", after.Number)
	}
	q.Add(" ORDER BY version DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, limit,
		func(r *agentVersionRow) sqldb.Cursor { return sqldb.Cursor{Number: r.Version, ID: id} })
	if err != nil {
		return nil, "", fmt.Errorf("list the versions of an agent: %w", err)
	}
	all, err := transaction.Each(rows, (*agentVersionRow).agent)
	return all, next, err
}

func (r *agentVersionRow) agent() (*userdata.AgentDefinition, error) {
	was := agentRow{
		WorkspaceID: r.WorkspaceID, ID: r.AgentID, Definition: r.Definition, Version: r.Version,
		CreatedAt: r.CreatedAt, UpdatedAt: r.CreatedAt,
	}
	return was.agent()
}

// InsertAgent stores an agent. Its version is one more than a.Version and than every earlier
// version of the same id: a built-in agent can be changed, reset and changed again.
func (s *AgentStore) InsertAgent(ctx context.Context, a *userdata.AgentDefinition) error {
	own := *a
	err := s.changeAgent(ctx, a.WorkspaceID, func(t *transaction.Tx) error {
		if err := agentCeiling.Room(ctx, t, a.WorkspaceID); err != nil {
			return err
		}
		t.Created = own.ID
		var latest int64
		err := t.Get(ctx, &latest, "SELECT COALESCE(MAX(version), 0) FROM agent_versions WHERE workspace_id = $1 AND agent_id = $2",
			a.WorkspaceID, a.ID)
		if err != nil {
			return fmt.Errorf("look for earlier versions of an agent: %w", err)
		}
		own.Version = max(a.Version, latest) + 1
		row, err := agentRowOf(&own)
		if err != nil {
			return err
		}
		if _, err := t.Insert(ctx, agentTable.Rows(row), ""); err != nil {
			return err
		}
		return keepAgentVersion(ctx, t, &row)
	})
	if err == nil {
		a.Version = own.Version
	}
	return nameTaken(err, a)
}

// UpdateAgent updates an agent if its version matches, and increments the version. Running sessions
// keep the version that they started with.
func (s *AgentStore) UpdateAgent(ctx context.Context, a *userdata.AgentDefinition) error {
	err := s.changeAgent(ctx, a.WorkspaceID, func(t *transaction.Tx) error {
		row, err := agentRowOf(a)
		if err != nil {
			return err
		}
		n, err := t.Write(ctx, agentUpdate, agentTable.Updated(&row)...)
		if err != nil {
			return err
		}
		if n != 1 {
			return transaction.StaleOrGone(ctx, t, "agents", "agent", a.WorkspaceID, a.ID)
		}
		row.Version++
		return keepAgentVersion(ctx, t, &row)
	})
	if err == nil {
		a.Version++
	}
	return nameTaken(err, a)
}

// DeleteAgent deletes an agent. Its versions stay for the sessions that use them.
func (s *AgentStore) DeleteAgent(ctx context.Context, workspace, id string) error {
	return s.changeAgent(ctx, workspace, func(t *transaction.Tx) error {
		return t.WriteOne(ctx, domain.NotFound("agent"), "DELETE FROM agents WHERE workspace_id = $1 AND id = $2", workspace, id)
	})
}

// changeAgent runs fn in a transaction that also increments the workspace's count of changes to
// agents.
func (s *AgentStore) changeAgent(ctx context.Context, workspace string, fn func(*transaction.Tx) error) error {
	return s.db.Write(ctx, workspace, func(t *transaction.Tx) error {
		err := t.WriteOne(ctx, domain.NotFound("workspace"), "UPDATE workspaces SET agents_version = agents_version + 1 WHERE id = $1", workspace)
		if err != nil {
			return err
		}
		return fn(t)
	})
}

func keepAgentVersion(ctx context.Context, t *transaction.Tx, row *agentRow) error {
	_, err := t.Insert(ctx, agentVersionTable.Rows(agentVersionRow{
		WorkspaceID: row.WorkspaceID, AgentID: row.ID, Version: row.Version, Definition: row.Definition, CreatedAt: row.UpdatedAt,
	}), "")
	return err
}

// nameTaken turns a conflict into an error that names the command, which another agent already has.
func nameTaken(err error, a *userdata.AgentDefinition) error {
	if domain.ErrorCode(err) != domain.CodeConflict {
		return err
	}
	return domain.Errorf(domain.CodeConflict, "Another agent already uses the command %s. Nothing was changed.", a.Command())
}
