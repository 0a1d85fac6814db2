package edge

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Codes of the HTTP API itself.
const (
	CodeUnreadable            domain.Code = "unreadable"
	codeMalformedJSON         domain.Code = "malformed_json"
	codeTooDeep               domain.Code = "too_deep"
	codeRepeatedName          domain.Code = "repeated_name"
	CodeEmptyBody             domain.Code = "empty_body"
	codeMethodNotAllowed      domain.Code = "method_not_allowed"
	CodeTooLarge                          = domain.CodeTooLarge
	CodeUnsupportedType       domain.Code = "unsupported_media_type"
	codeNotAcceptable         domain.Code = "not_acceptable"
	codePreconditionFailed                = domain.CodePreconditionFailed
	codeRateLimited           domain.Code = "rate_limited"
	CodeTooManyStreams        domain.Code = "too_many_streams"
	CodeLinkExpired           domain.Code = "link_expired"
	CodeBadSignature          domain.Code = "bad_signature" // of a message without a valid one
	codeIdempotencyMismatch   domain.Code = "idempotency_mismatch"
	codeIdempotencyInProgress domain.Code = "idempotency_in_progress"
	// About the providers of AI models.
	codeProviderFailed        = domain.CodeProviderFailed
	codeProviderMissing       = domain.CodeProviderMissing
	codeProviderKeyUnreadable = domain.CodeProviderKey
)

// ProblemKind describes a code: its HTTP status and its texts for people.
type ProblemKind struct {
	Status int
	Title  string
	// RetryAfter, in seconds, is sent if a retry may succeed without any change.
	RetryAfter int
	// Page is the text of the page /problems/{code}.
	Page string
}

// ProblemKinds is the only mapping of codes to HTTP.
var ProblemKinds = map[domain.Code]ProblemKind{
	domain.CodeInternal:           {500, "Internal error", 0, "The server hit an unexpected error. Its log has the details under the request id. The field outcome says whether the request was applied."},
	domain.CodeInvalid:            {422, "Invalid values", 0, "The request is readable, but some values are not valid. The list errors points at each of them."},
	domain.CodeNotFound:           {404, "Not found", 0, "It does not exist in this workspace. Resources of other workspaces get the same response."},
	domain.CodeConflict:           {409, "It already exists", 0, "Something with this name or id already exists. Nothing was changed."},
	domain.CodeWrongPhase:         {409, "Not possible in this phase", 0, "The session is in a different phase from the one that this request applies to. The fields phase and session_status have its current state."},
	domain.CodeWrongSessionType:   {409, "Not for this type of session", 0, "Sessions of this type do not accept this request. For example, an AUTOMATION takes no messages."},
	domain.CodeSessionEnded:       {409, "The session has ended", 0, "The session has ended. A CHAT can be resumed."},
	domain.CodeSessionBusy:        {409, "The session is busy", 0, "The session is working, and the request asked not to wait. Retry when it is idle, or set if_busy."},
	domain.CodeSeedNeverRuns:      {409, "A template cannot run", 0, "A SEED is the template of an automation: edit the template, and run the automation."},
	domain.CodeSeedOfAutomation:   {409, "The seed belongs to an automation", 0, "A SEED is the first message of an automation. Replace it with PUT /v1/automations/{automation_id}/seed; it is deleted with its automation. Nothing was deleted."},
	domain.CodeValidationResolved: {409, "Already answered", 0, "This approval or question was answered before, with a different decision. The field decision has the one that counts."},
	domain.CodeValidationStale:    {409, "The data has changed", 0, "The data has changed since the approval was shown, and the actions would do something else now. Read the approval again: it shows the present values."},
	domain.CodePasskeyRequired:    {403, "A passkey signature is required", 0, "Approving a sensitive action, or adding another passkey, needs a signature with one of the person's passkeys (WebAuthn). Nothing was changed. If the field passkey is present, sign it and repeat the request with the signature; otherwise register a passkey first, in the web app under Settings, You."},
	domain.CodePasskeyRefused:     {403, "The passkey signature was rejected", 0, "The signature is for a different request, by a passkey of another person, or too old. Nothing was changed. The list errors has the reason; send the request without passkey to get a new challenge."},
	domain.CodePasskeysOff:        {409, "Passkeys are not available", 0, "A passkey is bound to the name of the server. Open the web app by that name (https, or http://localhost on the machine itself); the operator sets it with FERMATA_PUBLIC_URL. Nothing was changed."},
	domain.CodeApprovalExpired:    {409, "The approval has expired", 0, "The time for an answer is over."},
	domain.CodePushOff:            {409, "Push notifications are not available", 0, "The server cannot send push notifications yet: its operator has to set FERMATA_PUBLIC_URL, the address that browsers use, and FERMATA_SECRET_KEY, from which the signing key is derived. The detail names the one that is missing. Nothing was changed."},
	domain.CodeNotEmpty:           {409, "It is not empty", 0, "It still contains other items. Delete them first, or set force."},
	domain.CodeRestoreExpired:     {409, "Too late to undo", 0, "A deletion can be undone for 30 days, which are over. Nothing was changed."},
	domain.CodeParentDeleted:      {409, "The parent is deleted too", 0, "A tool is restored into its zone, and an entry into its tool: restore that first. Nothing was changed."},
	domain.CodeTypeInUse:          {409, "The tool type is in use", 0, "A tool type can be deleted only if no tool has it. Nothing was changed."},
	domain.CodeTypeMisfit:         {409, "Stored data does not match", 0, "Tools or entries do not match the schemas of the tool type. The detail has their number, and errors the first ones. Nothing was changed."},
	domain.CodeNothingToRetry:     {409, "There is no round to retry", 0, "A chat can retry its last round: this one has none, or has it from the session that it was forked from. Send a message, or fork the session before the answer."},
	domain.CodeRoundHasEffects:    {409, "The round has had effects", 0, "The earlier answers of the round have changed something, or may have; the field executions lists it. A retry does not undo it. Send despite_effects: true to retry the round anyway. Nothing was changed."},
	domain.CodeNotLastRound:       {409, "Not the last round", 0, "Only the answers of the last round can be chosen. To continue from an older one, fork the session after it. Nothing was changed."},
	domain.CodeSlotTaken:          {409, "The slot is taken", 5, "Another session of the same lane holds the slot and cannot release it now. Nothing was changed; retry."},
	domain.CodeMessagePlaced:      {409, "The message is no longer queued", 0, "Only a queued message can be changed or withdrawn, and this one is part of the session already."},
	domain.CodeQueueFull:          {409, "The queue is full", 30, "The limit is reached: of sessions that wait for the slot in all lanes of the workspace, or of queued messages of one session (100, and 8 MiB together). Nothing was stored; retry later."},
	domain.CodeTooMany:            {409, "Limit reached", 0, "A workspace has a limit for each kind of item; the detail has it. Nothing was stored. Delete some items, or use another workspace."},
	userdata.CodeFilesFull:        {409, "File budget used up", 0, "The workspace has reached the number or the total size of files that its setting file_budget allows. Nothing was stored. Delete some files; files that no message refers to are deleted after 24 hours."},
	userdata.CodeUnsupportedFile:  {415, "Unsupported type of file", 0, "A file must be a picture (PNG, JPEG, GIF or WebP) or text in UTF-8. Its content decides, not its name. Nothing was stored."},
	userdata.CodeUnreadableFile:   {422, "The picture cannot be read", 0, "The file begins like a picture but cannot be decoded: it is damaged or truncated. Nothing was stored."},
	userdata.CodeTooManyPixels:    {422, "The picture is too large", 0, "A picture may have 50 million pixels, and 30,000 on a side. Nothing was stored: reduce it and send it again."},
	domain.CodeAutomationDisabled: {409, "The automation is disabled", 0, "No schedule, webhook or entry starts a disabled automation. Enable it, or run it with execute."},
	domain.CodeConditionNotMet:    {409, "The condition is not met", 0, "The trigger has a condition that this event does not meet. Nothing was started."},
	domain.CodeFirstKey:           {409, "The first key must be an admin's", 0, "The first key makes authentication required on a server that was open, permanently. Without a root key it must have the role admin and no expiry, so that more keys can be made. Nothing was created."},
	domain.CodeLastAdminKey:       {409, "The last admin key", 0, "Without a root key, the workspace needs at least one admin key that does not expire, to create other keys with. Create another one first. Nothing was revoked."},
	domain.CodeTaskOver:           {409, "The task has ended", 0, "The task has already succeeded, failed, timed out or been cancelled. Later reports of the service are stored with the task and change nothing."},
	domain.CodeSignInOver:         {409, "The sign-in is no longer valid", 0, "A sign-in to a connector can be finished once, within 15 minutes, with the latest link. Begin it again."},
	domain.CodeSignInFailed:       {503, "The sign-in failed", 5, "The connector's server or its authorization server could not be reached, does not announce how to sign in, or refused. The detail has what is known."},
	domain.CodeCrossOrigin:        {403, "Cross-origin request rejected", 0, "The request came from a web page of another origin. The operator can allow that origin with FERMATA_ALLOWED_ORIGINS."},
	domain.CodeForbidden:          {403, "Not allowed", 0, "The credentials are valid, but do not allow this request."},
	domain.CodePersonBlocked:      {403, "Blocked", 0, "An admin has blocked this person in the workspace. Their requests are refused until an admin unblocks them; their data is kept."},
	domain.CodeMayNotActFor:       {403, "The key may not act for others", 0, "Only a key that was created with acts_for may act for the users of its program: with the header Fermata-Person, or with tokens for them. Nothing was done."},
	domain.CodePersonProtected:    {409, "The person is protected", 0, "The persons of the root key and of an open server cannot be blocked or erased, and admins cannot block themselves. Nothing was changed."},
	domain.CodeUnauthenticated:    {401, "Authentication required", 0, "The request needs valid credentials: Authorization: Bearer, and a key."},
	domain.CodeNoIssuer:           {404, "OpenID Connect is not set up", 0, "The operator has set no issuer (FERMATA_OIDC_ISSUER). Sign in with a key."},
	domain.CodeIssuerUnavailable:  {503, "The issuer is not available", 5, "The OpenID Connect issuer cannot be reached, or does not respond correctly. Existing sign-ins and keys keep working. The detail has its response; fermata doctor tests it."},
	domain.CodeSignInLost:         {403, "Unknown sign-in", 0, "A sign-in must be finished once, in the browser that began it, within ten minutes. Nothing was done: sign in again, and allow this site's cookies. If it took less time, the clocks of this server's nodes differ, and the detail has the difference."},
	domain.CodeSignInRefused:      {403, "The issuer refused", 0, "The issuer did not sign the person in, or did not accept this server as its client. Nothing was done. The detail has its reason."},
	domain.CodeTokenInvalid:       {401, "The token is not valid", 0, "The token is not from the issuer, not for this server, or not signed correctly. Nothing was done; the detail has the reason. Sign in again; if that does not help, the operator should compare FERMATA_OIDC_ISSUER, FERMATA_OIDC_CLIENT_ID and FERMATA_OIDC_AUDIENCE with the issuer's configuration."},
	domain.CodeTokenExpired:       {401, "The token has expired", 0, "The token has expired, by this server's clock. Get a new one; if a new one is refused too, the clock of this server or of the issuer is wrong."},
	domain.CodeTokenEarly:         {401, "The token is not valid yet", 0, "The token is more than a minute in the future, by this server's clock: this server's clock is slow, or the issuer's is fast."},
	domain.CodeNotAdmitted:        {403, "No access to this workspace", 0, "The issuer knows the person, but its claims give them neither a role nor a workspace here (FERMATA_OIDC_ROLE_CLAIM, FERMATA_OIDC_WORKSPACE_CLAIM). Nothing was created. Ask the administrator of the issuer."},
	domain.CodeBudgetUsedUp:       {409, "The budget is used up", 0, "The workspace's budget for the day or the month is used up. A session asks for approval to raise it; a plain call of the provider is refused. Raise the limit in the settings, or wait."},
	domain.CodeUnavailable:        {503, "Service unavailable", 5, "The server is shutting down, or cannot reach something that it needs. Retry."},
	domain.CodeDatabaseBusy:       {503, "The database is busy", 1, "The database did not accept the change in time. Nothing was changed. Retry."},
	domain.CodeStorageFull:        {507, "The storage is full", 0, "There is no space left for the change. Nothing was changed."},
	domain.CodeOutcomeUnknown:     {500, "Unknown outcome", 0, "The connection to the database broke while the change was being stored. Check the result before you repeat the request, or repeat it with the same Idempotency-Key."},

	CodeUnreadable:            {400, "The request cannot be read", 0, "The request is malformed."},
	codeMalformedJSON:         {400, "The body is not valid JSON", 0, "The body is not one JSON value in UTF-8."},
	codeTooDeep:               {400, "The body is nested too deeply", 0, "JSON may be nested 64 levels deep."},
	codeRepeatedName:          {400, "Duplicate name", 0, "An object has two fields of the same name, and programs disagree which one counts (RFC 7493). Send each name once."},
	CodeEmptyBody:             {400, "The body is missing", 0, "This request needs a JSON body."},
	codeMethodNotAllowed:      {405, "Method not allowed", 0, "The header Allow lists the methods of this address."},
	CodeTooLarge:              {413, "Too large", 0, "The body is larger than this server accepts."},
	CodeUnsupportedType:       {415, "Unsupported media type", 0, "Send application/json."},
	codeNotAcceptable:         {406, "Format not available", 0, "The header Accept asks for a format that is not available."},
	codePreconditionFailed:    {412, "The resource has changed", 0, "It was changed after it was read: its ETag differs from If-Match. Read it again."},
	domain.CodeTooManyKeys:    {429, "Too many Idempotency-Keys", 60, "The response to a request with an Idempotency-Key is stored for 24 hours, and the number for each credential is limited. Stored ones stay valid; a new key is refused, and nothing was done. Wait, or omit the key if a repeated request does no harm."},
	codeRateLimited:           {429, "Too many requests", 1, "The caller has reached this server's rate limit. Wait for the time in Retry-After."},
	CodeTooManyStreams:        {429, "Too many event streams", 10, "The limit of open event streams for one key or one address is reached. Close some, or follow several sessions on one stream (GET /v1/events/stream?sessions=…)."},
	CodeLinkExpired:           {410, "The link has expired", 0, "A link to an approval is valid as long as the approval, and for at most a week. Nothing was decided. Request a new one."},
	CodeBadSignature:          {401, "Invalid signature", 0, "A service signs its reports on a task by Standard Webhooks (v1) with the signing secret of its connector, at most five minutes before they arrive. The body was ignored."},
	codeIdempotencyMismatch:   {422, "The Idempotency-Key was used for another request", 0, "An Idempotency-Key belongs to one request. Use a new one for another request."},
	codeIdempotencyInProgress: {409, "The same request is in progress", 1, "A request with this Idempotency-Key has not finished. Retry to get its response."},
	codeProviderFailed:        {503, "The provider failed", 5, "The provider of the AI model could not be reached, or returned an error. The detail has its response."},
	domain.CodeAnswerSchema:   {502, "The answer does not satisfy the schema", 0, "The answer of the AI does not satisfy the JSON Schema that was asked for, not after a correction either. The detail has the differences. The message and the answers are in the session's record; a retry calls the AI again."},
	codeProviderMissing:       {409, "The provider was deleted", 0, "The provider that this needs was deleted. Choose another one."},
	codeProviderKeyUnreadable: {409, "The provider's key cannot be decrypted", 0, "The key was encrypted with another FERMATA_SECRET_KEY. Set that one again, or enter the provider's key again."},
}

// problem is the body of an error response (RFC 9457).
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

// Fail writes an error response. All errors are written here. The cause of an error without a code is logged;
// the client gets only the request id.
func (s *Edge) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has disconnected: nothing to send, and nothing to log
	}
	p := problemOf(err)
	p.RequestID = RequestID(r)
	if p.Status >= 500 {
		s.Log.Error().Err(err).Str("request_id", p.RequestID).Str("code", string(p.Code)).Msg("request failed")
	}
	if readerOf(s, r, p) == "fr" {
		p.inFrench()
	}
	setFailureHeaders(w.Header(), p)
	if other := s.protocols.at(r.URL.Path); other != nil {
		other.Refuse(w, p.failure())
		return
	}
	writeProblem(w, r, p)
}

// problemOf returns the part of an error that a client may see.
func problemOf(err error) *problem {
	var known *domain.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
	case errors.As(err, &tooLarge):
		known = domain.Errorf(CodeTooLarge, "The body is larger than %d bytes.", tooLarge.Limit)
	case errors.Is(err, context.DeadlineExceeded):
		known = &domain.Error{Code: domain.CodeUnavailable, Message: "The server did not finish in time.", Outcome: domain.OutcomeUnknown}
	case errors.Is(err, domain.ErrStale):
		known = domain.Errorf(domain.CodeDatabaseBusy, "Concurrent changes kept conflicting with this one. Nothing was changed.")
	}
	kind, mapped := ProblemKind{}, false
	if known != nil {
		kind, mapped = ProblemKinds[known.Code]
	}
	if !mapped || known.Code == domain.CodeInternal {
		kind = ProblemKinds[domain.CodeInternal]
		outcome := domain.OutcomeUnknown
		if known != nil && known.Outcome != "" {
			outcome = known.Outcome
		}
		known = &domain.Error{
			Code: domain.CodeInternal, Message: "The server hit an unexpected error. Its log has the details under this request id.", Outcome: outcome,
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

// Limits of the executions in a problem. Their results are left out: the session's timeline has them.
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

// recorded returns a stored decision as JSON; text that is not JSON becomes a string.
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
		_, _ = w.Write(append(encodeProblem(p), '\n')) // the client may have disconnected
	}
}

// setFailureHeaders sets the headers of an error response in any format.
func setFailureHeaders(h http.Header, p *problem) {
	h.Set("Cache-Control", "no-store")
	if after := ProblemKinds[p.Code].RetryAfter; after > 0 && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(after))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="fermata"`)
	}
}
