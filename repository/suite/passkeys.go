package suite

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// passkeys: a registration is ended once; they come back as they were, to their owner alone; and
// what one signed is written with what it was for, or neither is.
func passkeys(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	register := func(id string, known int, use *domain.PasskeyUse) error {
		w.begins("usr_a", "c"+id, T0.Add(time.Minute))
		return w.Passkeys.InsertPasskey(ctx, passkey(id), "c"+id, known, use)
	}
	_, err := w.Passkeys.PasskeyRegistration(ctx, ws, "usr_a")
	w.code(err, domain.CodeNotFound)
	w.ok(register("psk_1", 0, nil))
	w.code(w.Passkeys.InsertPasskey(ctx, passkey("psk_2"), "cpsk_1", 1, nil), domain.CodeNotFound) // it was ended
	w.code(register("psk_2", 0, nil), domain.CodeNotFound)                                         // another one came meanwhile
	twice := passkey("psk_1")
	twice.ID = "psk_9"
	w.code(w.Passkeys.InsertPasskey(ctx, twice, "cpsk_2", 1, nil), domain.CodeConflict)
	begun, err := w.Passkeys.PasskeyRegistration(ctx, ws, "usr_a")
	w.ok(err) // what was refused left it
	w.equal(begun.Challenge, "cpsk_2", "the registration")
	w.ok(register("psk_2", 1, &domain.PasskeyUse{WorkspaceID: ws, PasskeyID: "psk_1", SignCount: 4, At: T0.Add(time.Second)}))
	w.pass(2 * time.Minute)
	w.begins("usr_b", "b", T0.Add(time.Hour))

	all, err := w.Passkeys.Passkeys(ctx, ws, "usr_a")
	w.ok(err)
	first := passkey("psk_1")
	first.SignCount, first.LastUsedAt = 4, new(T0.Add(time.Second))
	w.equal(all, []*people.Passkey{first, passkey("psk_2")}, "the passkeys")
	for workspace, owner := range map[string]string{"other": "usr_a", ws: "usr_b"} {
		none, err := w.Passkeys.Passkeys(ctx, workspace, owner)
		w.ok(err)
		w.equal(len(none), 0, "those of another person")
	}
	w.signedApproval()
	w.code(w.Passkeys.RevokePasskey(ctx, ws, "usr_b", "psk_1", T0), domain.CodeNotFound)
	w.ok(w.Passkeys.RevokePasskey(ctx, ws, "usr_a", "psk_1", T0))
	w.code(w.Passkeys.RevokePasskey(ctx, ws, "usr_a", "psk_1", T0), domain.CodeNotFound)
	all, err = w.Passkeys.Passkeys(ctx, ws, "usr_a")
	w.ok(err)
	w.equal(all[0].RevokedAt, new(T0), "when it was taken back")
	w.code(w.signed(90, nil), domain.CodePasskeyRefused)
	w.ok(w.Passkeys.ForgetPasskeys(ctx, ws, "usr_a"))
	w.code(w.Passkeys.ForgetPasskeys(ctx, ws, "usr_a"), domain.CodeNotFound)
}

func (w *world) begins(owner, challenge string, until time.Time) {
	w.ok(w.Passkeys.BeginPasskey(w.Context(), &people.PasskeyRegistration{
		WorkspaceID: domain.DefaultWorkspace, Owner: owner, Challenge: challenge, ExpiresAt: until,
	}))
}

func passkey(id string) *people.Passkey {
	return &people.Passkey{
		ID: id, WorkspaceID: domain.DefaultWorkspace, Owner: "usr_a", Name: "phone", CredentialID: "of " + id,
		Credential: json.RawMessage(`{"id":"AQ=="}`), SignCount: 3, CreatedAt: T0,
	}
}

// signed settles an approval of a session of its own, signed by psk_1.
func (w *world) signed(count uint32, evidence json.RawMessage) error {
	s := w.stored("signs")
	c := w.change(s)
	c.Approvals = []*domain.Approval{{
		ID: w.newID(domain.PrefixApproval), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Kind: domain.ApprovalActions,
		Status: domain.ApprovalStatusApproved, CreatedAt: T0, SettledAt: new(T0), SettledBy: "usr_a", Evidence: evidence,
	}}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogApprovalSettled, Approval: c.Approvals[0]})
	c.Passkeys = []domain.PasskeyUse{{WorkspaceID: s.WorkspaceID, PasskeyID: "psk_1", SignCount: count, At: T0.Add(time.Minute)}}
	err := w.Commit(w.Context(), c)
	if err != nil {
		_, missing := w.Approvals.Approval(w.Context(), s.WorkspaceID, c.Approvals[0].ID)
		w.code(missing, domain.CodeNotFound)
		return err
	}
	kept, err := w.Approvals.Approval(w.Context(), s.WorkspaceID, c.Approvals[0].ID)
	w.ok(err)
	w.equal(string(kept.Evidence), string(evidence), "what was signed")
	return nil
}

// signedApproval: a signature counter that did not grow settles nothing; of four callers with the same signature
// one succeeds.
func (w *world) signedApproval() {
	w.ok(w.signed(7, json.RawMessage(`{"passkey_id":"psk_1"}`)))
	w.code(w.signed(7, nil), domain.CodePasskeyRefused)
	w.code(w.signed(6, nil), domain.CodePasskeyRefused)
	var wait sync.WaitGroup
	results := make(chan error, 4)
	for range 4 {
		s := w.stored("at once")
		wait.Go(func() {
			c := w.change(s)
			c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
			c.Passkeys = []domain.PasskeyUse{{WorkspaceID: s.WorkspaceID, PasskeyID: "psk_1", SignCount: 8, At: T0}}
			results <- w.Commit(w.Context(), c)
		})
	}
	wait.Wait()
	close(results)
	n := 0
	for err := range results {
		if err == nil {
			n++
		} else {
			w.code(err, domain.CodePasskeyRefused)
		}
	}
	w.equal(n, 1, "how many succeed")
}
