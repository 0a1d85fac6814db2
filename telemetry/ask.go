package telemetry

import (
	"context"
	"fmt"
	"net/http"

	"github.com/fermata-dev/fermata/internal/egress"
)

// ask checks whether a collector accepts traces, by sending an empty batch.
func ask(ctx context.Context, client *http.Client, endpoint string, headers map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, http.NoBody)
	if err != nil {
		return fmt.Errorf("create the request to the collector: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request) //nolint:bodyclose // Discard closes it
	if err != nil {
		return fmt.Errorf("send to the collector: %w", err)
	}
	egress.Discard(response.Body)
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s responded with %s", endpoint, response.Status)
	}
	return nil
}
