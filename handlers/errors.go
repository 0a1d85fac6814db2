package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// Codes that only the API itself has.
const (
	CodeUnreadable            domain.Code = "unreadable"
	CodeMalformedJSON         domain.Code = "malformed_json"
	CodeTooDeep               domain.Code = "too_deep"
	CodeRepeatedName          domain.Code = "repeated_name"
	CodeEmptyBody             domain.Code = "empty_body"
	CodeMethodNotAllowed      domain.Code = "method_not_allowed"
	CodeTooLarge                          = domain.CodeTooLarge
	CodeUnsupportedType       domain.Code = "unsupported_media_type"
	CodeNotAcceptable         domain.Code = "not_acceptable"
	CodePreconditionFailed                = domain.CodePreconditionFailed
	CodeRateLimited           domain.Code = "rate_limited"
	CodeTooManyStreams        domain.Code = "too_many_streams"
	CodeLinkExpired           domain.Code = "link_expired"
	CodeIdempotencyMismatch   domain.Code = "idempotency_mismatch"
	CodeIdempotencyInProgress domain.Code = "idempotency_in_progress"
	// About the providers of AI models.
	CodeProviderFailed        = domain.CodeProviderFailed
	CodeProviderMissing       = domain.CodeProviderMissing
	CodeProviderKeyUnreadable = domain.CodeProviderKey
)

// problemKind is what the API says about a code.
type problemKind struct {
	Status int
	Title  string
	// RetryAfter in seconds is sent where trying again later helps by itself.
	RetryAfter int
	// Page explains it to whoever follows the type of a problem.
	Page string
}

// problemKinds is the one map from a code to what HTTP makes of it.
var problemKinds = map[domain.Code]problemKind{
	domain.CodeInternal:           {500, "Something went wrong in the server", 0, "The server met something that it does not know. Its log says more under the request id. What became of the request stands in outcome."},
	domain.CodeInvalid:            {422, "Some values are wrong", 0, "The request can be read, but some values cannot be used. The list errors points at each of them."},
	domain.CodeNotFound:           {404, "Not found", 0, "There is no such thing in this workspace. What belongs to another workspace gives the same answer."},
	domain.CodeConflict:           {409, "It exists already", 0, "Something with this name or id is there already. Nothing was changed."},
	domain.CodeWrongPhase:         {409, "The session does not take this now", 0, "The session is in another phase than the one that this request answers. The fields phase and session_status say where it stands."},
	domain.CodeWrongSessionType:   {409, "Not for this type of session", 0, "This kind of session does not take this request: for example, nobody talks to an AUTOMATION."},
	domain.CodeSessionEnded:       {409, "The session has ended", 0, "The session is over. A CHAT can be brought back with resume."},
	domain.CodeSessionBusy:        {409, "The session is at work", 0, "The session is working, and the request asked not to wait. Try again when it rests, or say what should happen with if_busy."},
	domain.CodeSeedNeverRuns:      {409, "A template never runs", 0, "A SEED is the template of an automation: it is edited, and its automation is run."},
	domain.CodeSeedOfAutomation:   {409, "An automation begins with it", 0, "A SEED is the first message of an automation. It can be replaced with PUT /v1/automations/{automation_id}/seed, and is deleted with its automation. Nothing was deleted."},
	domain.CodeValidationResolved: {409, "Answered already", 0, "This question was answered before, with another decision. The field decision has the one that counts."},
	domain.CodeValidationStale:    {409, "The data has changed since", 0, "What was to be approved is not what would happen now. Look at the question again: it shows the present values."},
	domain.CodePasskeyRequired:    {403, "This needs your passkey", 0, "A yes to a sensitive action, and a further passkey, are signed with a passkey of the person (WebAuthn). Nothing was changed. Where the field passkey is there, have it signed and send the same request again with what came of it; else register a passkey first, on the page under Settings, You."},
	domain.CodePasskeyRefused:     {403, "What was signed does not count", 0, "A passkey signed something else than what is asked now, somebody else's did, or too long ago. Nothing was changed. errors says what is wrong; send the request without passkey to be told what has to be signed."},
	domain.CodePasskeysOff:        {409, "There are no passkeys here", 0, "A passkey is bound to the name of the server. Open the page by its name (https, or http://localhost on the machine itself); the operator sets it with FERMATA_PUBLIC_URL. Nothing was changed."},
	domain.CodeApprovalExpired:    {409, "Too late to answer", 0, "The time for an answer is over."},
	domain.CodePushOff:            {409, "There are no pushes here", 0, "The server can send nothing to browsers yet: its operator has to set FERMATA_PUBLIC_URL, the address that browsers use, and FERMATA_SECRET_KEY, of which the key is made that pushes are signed with. The detail says which is missing. Nothing was changed."},
	domain.CodeNotEmpty:           {409, "It still holds something", 0, "What is to be deleted holds something. Delete that first, or say force."},
	domain.CodeRestoreExpired:     {409, "Too late to undo", 0, "A deletion can be undone for 30 days. These are over. Nothing was changed."},
	domain.CodeParentDeleted:      {409, "What held it is deleted too", 0, "A tool comes back into its zone, and an entry into its tool: restore that first. Nothing was changed."},
	domain.CodeTypeInUse:          {409, "Tools have this type", 0, "A tool type can be deleted when no tool has it. Nothing was changed."},
	domain.CodeTypeMisfit:         {409, "What is stored does not fit", 0, "Tools or entries do not fit the schemas of the tool type. The detail counts them, and errors names the first. Nothing was changed."},
	domain.CodeNothingToRetry:     {409, "There is no round to run again", 0, "A chat runs its last round again: this one has none, or has it from the session that it was made from. Send a message instead, or make a fork before the answer."},
	domain.CodeRoundHasEffects:    {409, "The round has changed something", 0, "The earlier answers of the round have changed something, or may have; the field executions lists it. A second try takes nothing of it back. Send despite_effects: true to run the round again all the same. Nothing was changed."},
	domain.CodeNotLastRound:       {409, "Others were built on it", 0, "Only the answers of the last round can be chosen between. To go on from an older one, make a fork after it. Nothing was changed."},
	domain.CodeSlotTaken:          {409, "The slot is taken", 5, "Another session of the workspace holds the slot and does not give it up now. Nothing was changed; try again."},
	domain.CodeMessagePlaced:      {409, "It is in its place already", 0, "Only a message that waits its turn can be changed or withdrawn. This one has been taken."},
	domain.CodeQueueFull:          {409, "The queue is full", 30, "As many wait already as may: sessions for the slot of the workspace, or messages for their turn in one session (100, and 8 MiB of them together). Nothing was stored; send it again later."},
	domain.CodeTooMany:            {409, "There are as many as may be", 0, "A workspace has so many of each thing at most; the detail says how many. Nothing was stored. Delete some that are not needed, or use another workspace."},
	domain.CodeFilesFull:          {409, "There is no room for another file", 0, "The files of the workspace are as many, or as large together, as its setting file_budget says. Nothing was stored. Delete some; those that no message refers to go by themselves after 24 hours."},
	domain.CodeUnsupportedFile:    {415, "Neither a picture nor a text", 0, "A file is a picture (PNG, JPEG, GIF or WebP) or a text in UTF-8, by its content and not by its name. Nothing was stored."},
	domain.CodeUnreadableFile:     {422, "The picture cannot be read", 0, "The file begins like a picture, and cannot be decoded: it is damaged, or cut off. Nothing was stored."},
	domain.CodeTooManyPixels:      {422, "The picture is too large", 0, "A picture may have 50 million pixels, and 30,000 on a side. Nothing was stored: make it smaller, and send it again."},
	domain.CodeAutomationDisabled: {409, "The automation is disabled", 0, "A disabled automation is started by no schedule, webhook or entry. Enable it, or run it by hand with execute."},
	domain.CodeConditionNotMet:    {409, "The event does not meet the condition", 0, "The trigger has a condition, and this event does not meet it. Nothing was started."},
	domain.CodeFirstKey:           {409, "The first key must be an admin's", 0, "The first key closes a server that was open until then, for good. Without a root key it must have the role admin and no expiry, so that somebody can make others. Nothing was made."},
	domain.CodeLastAdminKey:       {409, "The last admin key", 0, "Without a root key, one admin key that does not expire must stay in the workspace: nobody could make keys otherwise. Make another one first. Nothing was revoked."},
	domain.CodeTaskOver:           {409, "The task is over", 0, "The task has ended otherwise: it succeeded, failed, was cancelled, or its time was over. What a service says of it afterwards is kept with the task, and changes nothing."},
	domain.CodeSignInOver:         {409, "The sign-in is over", 0, "A sign-in to a connector is finished once, within a quarter of an hour, by the link that was given last. Begin it again."},
	domain.CodeSignInFailed:       {503, "The sign-in did not come about", 5, "The server of the connector, or the one that people sign in at, could not be reached, does not say where people sign in, or did not give what was asked for. The detail says what is known."},
	domain.CodeCrossOrigin:        {403, "Not from another origin", 0, "A web page of another origin asked, and browsers say so. The operator can allow its origin with FERMATA_ALLOWED_ORIGINS."},
	domain.CodeForbidden:          {403, "Not allowed", 0, "The credentials are good, but not for this."},
	domain.CodeUnauthenticated:    {401, "Who are you?", 0, "The request needs valid credentials: Authorization: Bearer, and a key."},
	domain.CodeNoIssuer:           {404, "Nobody signs in by OpenID Connect here", 0, "The operator has set no issuer (FERMATA_OIDC_ISSUER). Sign in with a key."},
	domain.CodeIssuerUnavailable:  {503, "The issuer does not answer", 5, "People sign in here by OpenID Connect, and the issuer that vouches for them cannot be reached, or does not say what an issuer says. Who is signed in stays so, and keys work. The detail says what it answered; fermata doctor asks it."},
	domain.CodeSignInLost:         {403, "This sign-in is not known", 0, "A sign-in ends in the browser that began it, within ten minutes, once. Nothing was done: sign in again, and let the browser keep this site's cookies. Where it took less, the clocks of this server's nodes differ, and the detail says so."},
	domain.CodeSignInRefused:      {403, "The issuer refused", 0, "The issuer did not let the person in, or did not take this server for its client. Nothing was done. The detail has its reason."},
	domain.CodeTokenInvalid:       {401, "The issuer's token is refused", 0, "The token is not the issuer's, not for this server, or not signed as it should be. Nothing was done; the detail says what is wrong with it. A person signs in again; where that does not help, the operator compares FERMATA_OIDC_ISSUER, FERMATA_OIDC_CLIENT_ID and FERMATA_OIDC_AUDIENCE with what the issuer has."},
	domain.CodeTokenExpired:       {401, "The issuer's token has ended", 0, "The token's time is over, by this server's clock. Come with a new one; a new one that is refused too tells of a clock that is wrong, this server's or the issuer's."},
	domain.CodeTokenEarly:         {401, "The issuer's token is not good yet", 0, "The token is from the future, by this server's clock, by more than a minute. This server's clock is behind, or the issuer's is ahead."},
	domain.CodeNotAdmitted:        {403, "Nothing lets you in here", 0, "The issuer knows the person, and what it says of them gives neither a role nor a workspace here (FERMATA_OIDC_ROLE_CLAIM, FERMATA_OIDC_WORKSPACE_CLAIM). Nothing was made. Ask whoever manages the issuer."},
	domain.CodeBudgetUsedUp:       {409, "The budget is used up", 0, "What the workspace may spend on the day or in the month is used up. A session asks a person to raise it; a plain call of the provider is refused. Raise the limit in the settings, or wait."},
	domain.CodeUnavailable:        {503, "Not available now", 5, "The server is going down, or cannot reach what it needs. Try again."},
	domain.CodeDatabaseBusy:       {503, "The database is busy", 1, "The database did not take the change in time. Nothing was changed. Try again."},
	domain.CodeStorageFull:        {507, "The storage is full", 0, "There is no room left for the change. Nothing was changed."},
	domain.CodeOutcomeUnknown:     {500, "It is not known whether it happened", 0, "The connection to the database broke while the change was being stored. Look before you repeat it, or repeat it with the same Idempotency-Key."},

	CodeUnreadable:            {400, "The request cannot be read", 0, "The request is malformed."},
	CodeMalformedJSON:         {400, "The body cannot be read", 0, "The body is not one JSON value in UTF-8."},
	CodeTooDeep:               {400, "The body is nested too deep", 0, "JSON may be nested 64 levels deep."},
	CodeRepeatedName:          {400, "A name stands twice", 0, "Of two fields with one name in one object, programs disagree which counts (RFC 7493). Send each name once."},
	CodeEmptyBody:             {400, "The body is missing", 0, "This request needs a JSON body."},
	CodeMethodNotAllowed:      {405, "Not with this method", 0, "The header Allow lists the methods of this address."},
	CodeTooLarge:              {413, "Too large", 0, "The body is larger than this server takes."},
	CodeUnsupportedType:       {415, "Not in this format", 0, "Send application/json."},
	CodeNotAcceptable:         {406, "Not available in this format", 0, "The header Accept asks for a format that there is not."},
	CodePreconditionFailed:    {412, "Somebody else was faster", 0, "The thing has changed since it was read: its ETag is not the one of If-Match. Read it again."},
	domain.CodeTooManyKeys:    {429, "Too many Idempotency-Keys", 60, "The answer to a request with an Idempotency-Key is kept for 24 hours, and so many are kept for one credential. Those that are kept hold; a new key is refused, and nothing was done. Wait, or leave the key out where a repetition does no harm."},
	CodeRateLimited:           {429, "Too many requests", 1, "More requests than this server takes from one caller. Wait as long as Retry-After says."},
	CodeTooManyStreams:        {429, "Too many event streams", 10, "As many event streams of one key, or from one address, are open as may be. Close some, or follow several sessions on one stream (GET /v1/events/stream?sessions=…)."},
	CodeLinkExpired:           {410, "The link has expired", 0, "A link to an approval holds as long as the approval, and for a week at most. Nothing was decided. Ask for another one."},
	CodeBadSignature:          {401, "The signature is not good", 0, "A service signs what it says of a task by Standard Webhooks (v1) with the signing secret of its connector, at most five minutes before. Nothing was read of the body."},
	CodeIdempotencyMismatch:   {422, "This key was used for another request", 0, "An Idempotency-Key belongs to one request. Use a new one for another request."},
	CodeIdempotencyInProgress: {409, "The same request is being carried out", 1, "A request with this Idempotency-Key has not ended yet. Ask again for its answer."},
	CodeProviderFailed:        {503, "The provider did not answer as it should", 5, "The provider of the AI model could not be reached, or refused. The detail says what it answered."},
	CodeProviderMissing:       {409, "The provider is gone", 0, "The provider that this needs was deleted. Choose another one."},
	CodeProviderKeyUnreadable: {409, "The provider's key cannot be read", 0, "The key was sealed with another FERMATA_SECRET_KEY. Set that one again, or enter the provider's key anew."},
}

// problem is an error as it is sent (RFC 9457).
type problem struct {
	Type          string              `json:"type"`
	Title         string              `json:"title"`
	Status        int                 `json:"status"`
	Detail        string              `json:"detail"`
	Code          domain.Code         `json:"code"`
	RequestID     string              `json:"request_id"`
	Retryable     bool                `json:"retryable"`
	Outcome       domain.WriteOutcome `json:"outcome"`
	Errors        []domain.FieldError `json:"errors,omitempty"`
	Phase         domain.Phase        `json:"phase,omitempty"`
	SessionStatus domain.Status       `json:"session_status,omitempty"`
	Decision      json.RawMessage     `json:"decision,omitempty"`
	Executions    []*api.Execution    `json:"executions,omitempty"`
	Passkey       *api.PasskeyRequest `json:"passkey,omitempty"`
}

// fail writes an error: the only place where one is. What has no code of its own is
// told to the log, and to the client only under its request id.
func (s *edge) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has gone; there is nobody to tell, and nothing to log
	}
	p := problemOf(err)
	p.RequestID = requestID(r)
	if p.Status >= 500 {
		s.Log.Error().Err(err).Str("request_id", p.RequestID).Str("code", string(p.Code)).Msg("request failed")
	}
	if s.readerOf(r, p) == "fr" {
		p.inFrench()
	}
	tellFailure(w.Header(), p)
	if other := s.protocols.at(r.URL.Path); other != nil {
		other.Refuse(w, p.failure())
		return
	}
	writeProblem(w, r, p)
}

// problemOf says what a client may know of an error.
func problemOf(err error) *problem {
	var known *domain.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
	case errors.As(err, &tooLarge):
		known = domain.Errorf(CodeTooLarge, "The body is larger than %d bytes.", tooLarge.Limit)
	case errors.Is(err, context.DeadlineExceeded):
		known = &domain.Error{Code: domain.CodeUnavailable, Message: "The server did not get ready in time.", Outcome: domain.OutcomeUnknown}
	case errors.Is(err, domain.ErrStale):
		known = domain.Errorf(domain.CodeDatabaseBusy, "Others were changing the same thing all the time. Nothing was changed.")
	}
	kind, mapped := problemKind{}, false
	if known != nil {
		kind, mapped = problemKinds[known.Code]
	}
	if !mapped || known.Code == domain.CodeInternal {
		kind = problemKinds[domain.CodeInternal]
		outcome := domain.OutcomeUnknown
		if known != nil && known.Outcome != "" {
			outcome = known.Outcome
		}
		known = &domain.Error{
			Code: domain.CodeInternal, Message: "The server met an unexpected error. Its log says more under this request id.", Outcome: outcome,
		}
	}
	p := &problem{
		Type: "/problems/" + string(known.Code), Title: kind.Title, Status: kind.Status, Detail: known.Message,
		Code: known.Code, Retryable: kind.RetryAfter > 0, Outcome: known.Outcome, Errors: known.Fields, Decision: recorded(known.Decision),
	}
	if p.Outcome == "" {
		p.Outcome = domain.NotApplied
		if known.Code == domain.CodeOutcomeUnknown {
			p.Outcome = domain.OutcomeUnknown
		}
	}
	p.Executions, p.Passkey = shortExecutions(known.Executions), api.PasskeyRequestFrom(known.Passkey)
	if known.Session != nil {
		p.Phase, p.SessionStatus = known.Session.Phase, known.Session.Status()
	}
	return p
}

// What a problem shows of executions: what was asked, not what came of it, which the session's
// timeline has.
const (
	maxShownExecutions = 50
	maxShownParams     = 1000
)

func shortExecutions(all []*domain.Execution) []*api.Execution {
	var out []*api.Execution
	for _, x := range all[:min(len(all), maxShownExecutions)] {
		short := *x
		short.Result, short.Text = nil, ""
		if len(short.Params) > maxShownParams {
			short.Params = nil
		}
		out = append(out, api.ExecutionFrom(&short))
	}
	return out
}

// recorded is a decision as it was stored: JSON as it is, anything else as a text.
func recorded(decision string) json.RawMessage {
	if decision == "" {
		return nil
	}
	if json.Valid([]byte(decision)) {
		return json.RawMessage(decision)
	}
	text, err := json.Marshal(decision)
	if err != nil {
		return nil // a string is always written
	}
	return text
}

func writeProblem(w http.ResponseWriter, r *http.Request, p *problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(encodeProblem(p), '\n')) // the client may have gone
	}
}

// tellFailure sets what the head of an answer says of an error, whatever its body's form.
func tellFailure(h http.Header, p *problem) {
	h.Set("Cache-Control", "no-store")
	if after := problemKinds[p.Code].RetryAfter; after > 0 && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(after))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="fermata"`)
	}
}
