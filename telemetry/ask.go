package telemetry

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask the collector: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // so that the connection can be used again
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s answered %s", endpoint, response.Status)
	}
	return nil
}
