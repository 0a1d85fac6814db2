package scheduler

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func TestViewAfterAChange(t *testing.T) {
	s := &domain.Session{ID: "ses_1", State: domain.SessionState{AnswerState: domain.AnswerState{AnswerID: "msg_ai"}}}
	v := &domain.View{
		Session: s, Holder: s,
		Inbox:         []*domain.InboxItem{{ID: "inb_1", SessionID: s.ID}, {ID: "inb_2", SessionID: s.ID}},
		Open:          []*domain.Approval{{ID: "apr_1", SessionID: s.ID, Status: domain.ApprovalStatusOpen}, {ID: "apr_2", SessionID: s.ID, Status: domain.ApprovalStatusOpen}},
		Planned:       []*domain.Execution{{ID: "exe_1", MessageID: "msg_ai"}, {ID: "exe_2", MessageID: "msg_ai"}},
		CancelMessage: &domain.Message{ID: "msg_c"},
	}
	now := s.Clone()
	next := viewAfter(v, &domain.Change{
		InboxDone: []string{"inb_1"},
		Inbox:     []*domain.InboxItem{{ID: "inb_3", SessionID: s.ID}, {ID: "inb_4", SessionID: "ses_other"}},
		Approvals: []*domain.Approval{
			{ID: "apr_1", SessionID: s.ID, Status: domain.ApprovalStatusApproved},
			{ID: "apr_3", SessionID: s.ID, Status: domain.ApprovalStatusOpen}, {ID: "apr_4", SessionID: "ses_other", Status: domain.ApprovalStatusOpen},
		},
		Executions:      []*domain.Execution{{ID: "exe_2", MessageID: "msg_ai", Status: domain.ExecSuccess}},
		DeletedMessages: []*domain.Message{{ID: "msg_c"}},
	}, now)

	var inbox, open []string
	for _, i := range next.Inbox {
		inbox = append(inbox, i.ID)
	}
	for _, a := range next.Open {
		open = append(open, a.ID)
	}
	switch {
	case next.Session != now || next.Holder != now:
		t.Error("the session is not the one that the change left")
	case !slices.Equal(inbox, []string{"inb_2", "inb_3"}):
		t.Errorf("the inbox holds %v", inbox)
	case !slices.Equal(open, []string{"apr_2", "apr_3"}):
		t.Errorf("open are %v", open)
	case len(next.Planned) != 2 || next.Planned[1].Status != domain.ExecSuccess || next.Planned[0].Status != "":
		t.Errorf("planned are %+v", next.Planned)
	case next.CancelMessage != nil:
		t.Error("a deleted message is still there")
	case len(v.Inbox) != 2 || len(v.Open) != 2 || v.Planned[1].Status != "" || v.CancelMessage == nil || v.Session != s:
		t.Error("the view that was read has changed")
	}

	now.State.AnswerID = ""
	if left := viewAfter(v, &domain.Change{}, now).Planned; len(left) != 0 {
		t.Errorf("executions of an answer that is done with are still planned: %v", left)
	}
}
