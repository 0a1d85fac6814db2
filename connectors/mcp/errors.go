package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/domain/outside"
)

// outsideError classifies an SDK error of a call that may have been sent. The message of a protocol
// error is left empty: its text is the server's.
func outsideError(ctx context.Context, err error, left bool) *outside.Error {
	known, ok := errors.AsType[*outside.Error](err)
	said, answered := errors.AsType[*jsonrpc.Error](err)
	switch {
	case ok:
		copied := *known
		if copied.Fault == outside.FaultUnknown && !left {
			copied.Fault = outside.FaultNotSent
		}
		return &copied
	case answered:
		return &outside.Error{Fault: outside.FaultRefused, Cause: fmt.Errorf("error %d", said.Code)}
	case ctx.Err() != nil && !left:
		return &outside.Error{Fault: outside.FaultNotSent, Message: "The server could not be reached in time.", Temporary: true, Cause: err}
	case ctx.Err() != nil:
		return unknownOutcome("The server did not answer in time.", err)
	case !left:
		return &outside.Error{Fault: outside.FaultNotSent, Message: "The connection was closed before the request left.", Temporary: true, Cause: err}
	}
	return unknownOutcome("The connection broke off before the server answered.", err)
}

// faultBeforeCall converts the fault of a preparatory request to the fault of the call.
func faultBeforeCall(f outside.Fault) outside.Fault {
	if f == outside.FaultUnknown || f == outside.FaultRefused {
		return outside.FaultNotSent
	}
	return f
}

func isTemporary(err error) bool {
	e, ok := errors.AsType[*outside.Error](err)
	return ok && e.Temporary
}
