package edge

import (
	"context"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// SpendPixels charges the pixels of a picture to the caller of the request in ctx, like the bytes of a body: decoding
// them takes CPU time, however small the file is.
func SpendPixels(ctx context.Context, pixels int64) error {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	if x == nil || x.who == nil || x.who.Role == domain.RoleRoot {
		return nil
	}
	_, wait, ok := x.edge.keys.spend(x.who.Name, float64(pixels/bytesCounted))
	if ok {
		return nil
	}
	seconds := int(wait/time.Second) + 1
	x.Header()["Retry-After"] = []string{strconv.Itoa(seconds)}
	return domain.Errorf(codeRateLimited, "This key has sent too many pixels in a short time. Send the picture again in %d s, or a smaller one.",
		seconds)
}
