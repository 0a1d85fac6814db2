package domain

import (
	"testing"
	"time"
)

func TestGrantsEnd(t *testing.T) {
	now := time.Unix(100, 0)
	before, after := now.Add(-1), now.Add(1)
	for _, c := range []struct {
		grant  Grant
		active bool
	}{
		{Grant{}, true}, {Grant{ExpiresAt: &after}, true}, {Grant{ExpiresAt: &now}, false}, {Grant{ExpiresAt: &before}, false},
		{Grant{RevokedAt: &before}, false}, {Grant{RevokedAt: &before, ExpiresAt: &after}, false},
	} {
		if got := c.grant.Active(now); got != c.active {
			t.Errorf("%+v: active %t", c.grant, got)
		}
	}
}

// What an answer's own actions use is not counted twice, and cancelled ones use nothing.
func TestGrantsOfAnAnswer(t *testing.T) {
	v := &View{
		Grants: []*Grant{{ID: "grt_1", UsesInRun: 5}, {ID: "grt_2", UsesInRun: 2}},
		Planned: []*Execution{
			{GrantID: "grt_1", MessageID: "msg_1", Status: ExecSuccess}, {GrantID: "grt_1", MessageID: "msg_1", Status: ExecCancelled},
			{GrantID: "grt_1", MessageID: "msg_0", Status: ExecSuccess}, {GrantID: "grt_2", MessageID: "msg_1", Status: ExecPending},
		},
	}
	got := v.GrantsFor("msg_1")
	if got[0].UsesInRun != 4 || got[1].UsesInRun != 1 || v.Grants[0].UsesInRun != 5 {
		t.Errorf("%d and %d uses, stored %d", got[0].UsesInRun, got[1].UsesInRun, v.Grants[0].UsesInRun)
	}
}
