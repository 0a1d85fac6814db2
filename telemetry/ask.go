package telemetry

import (
	"context"
	"fmt"
	"net/http"

	"github.com/fermata-dev/fermata/internal/egress"
)

// Ask looks whether a collector takes traces, with a batch that has none in it.
func Ask(ctx context.Context, client *http.Client, endpoint string, headers map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the collector: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request) //nolint:bodyclose // Discard closes it
	if err != nil {
		return fmt.Errorf("ask the collector: %w", err)
	}
	egress.Discard(response.Body)
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s answered %s", endpoint, response.Status)
	}
	return nil
}
