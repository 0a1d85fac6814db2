package events

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// maxSnapshotApprovals is as many open questions as a page shows at once; GET
// /v1/approvals has the rest.
const maxSnapshotApprovals = 200

// snapshotOf is how things are now, for a listener that has no number to go on from.
// texts are the answers in progress: message.snapshot repeats them on the stream.
func (s *Handlers) snapshotOf(ctx context.Context, f *stream.Filter, seq int64, texts []stream.Text) ([]byte, error) {
	var snapshot any
	var err error
	if f.Session == "" {
		snapshot, err = s.workspaceSnapshot(ctx, f, seq)
	} else {
		snapshot, err = s.sessionSnapshot(ctx, f, seq, texts)
	}
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(snapshot)
	if err != nil {
		return nil, fmt.Errorf("encode a snapshot: %w", err)
	}
	return data, nil
}

func (s *Handlers) sessionSnapshot(
	ctx context.Context, f *stream.Filter, seq int64, texts []stream.Text,
) (*api.SessionSnapshotData, error) {
	session, err := s.Sessions.Session(ctx, f.Workspace, f.Session)
	if err != nil {
		return nil, fmt.Errorf("read the session for a snapshot: %w", err)
	}
	snapshot := &api.SessionSnapshotData{Seq: seq, Session: *api.SessionFrom(session)}
	for _, t := range texts {
		if t.Kind == stream.KindText {
			snapshot.Partial = &api.StreamedText{
				SessionID: t.SessionID, MessageID: t.MessageID, Kind: api.StreamedTextKind(t.Kind), Offset: t.Offset, Text: t.Text,
			}
		}
	}
	return snapshot, nil
}

func (s *Handlers) workspaceSnapshot(ctx context.Context, f *stream.Filter, seq int64) (*api.WorkspaceSnapshotData, error) {
	lane, err := s.Workspace.OwnLane(ctx, f.Workspace, f.Person)
	if err != nil {
		return nil, fmt.Errorf("read the lane for a snapshot: %w", err)
	}
	slot, err := s.Workspace.Slot(ctx, lane)
	if err != nil {
		return nil, fmt.Errorf("read the slot for a snapshot: %w", err)
	}
	queue, err := s.Workspace.Queue(ctx, lane)
	if err != nil {
		return nil, fmt.Errorf("read the queue for a snapshot: %w", err)
	}
	open := domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, Limit: maxSnapshotApprovals}
	approvals, _, err := s.Workspace.Approvals(ctx, f.Workspace, open)
	if err != nil {
		return nil, fmt.Errorf("read the approvals for a snapshot: %w", err)
	}
	snapshot := &api.WorkspaceSnapshotData{
		Seq: seq, Slot: *api.SlotFrom(slot, s.Clock()), Queue: api.QueueFrom(queue).Data, Approvals: []api.Approval{},
	}
	for _, a := range approvals {
		snapshot.Approvals = append(snapshot.Approvals, *api.ApprovalFrom(a))
	}
	if len(f.Sessions) == 0 {
		return snapshot, nil
	}
	sessions := []api.Session{}
	for _, id := range f.Sessions {
		session, err := s.Sessions.Session(ctx, f.Workspace, id)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			continue // deleted since the stream began
		}
		if err != nil {
			return nil, fmt.Errorf("read a session for a snapshot: %w", err)
		}
		sessions = append(sessions, *api.SessionFrom(session))
	}
	snapshot.Sessions = &sessions
	return snapshot, nil
}
