package app

import (
	"fmt"

	"github.com/fermata-dev/fermata/handlers/edge"
)

// Rates are the per-client rate limits; 0 is the default.
type Rates struct {
	Requests          float64 `help:"Requests per second for one key; each 64 KiB of a body count as one more." default:"500" env:"FERMATA_RATE_REQUESTS"`
	RequestsBurst     float64 `help:"Burst of requests for one key." default:"1000" env:"FERMATA_RATE_REQUESTS_BURST"`
	Failures          float64 `help:"Failed authentications per second from one address." default:"10" env:"FERMATA_RATE_FAILURES"`
	FailuresBurst     float64 `help:"Burst of failed authentications from one address." default:"1000" env:"FERMATA_RATE_FAILURES_BURST"`
	Hooks             float64 `help:"Calls per second of one automation's webhook, and of invalid ones from one address." default:"10" env:"FERMATA_RATE_HOOKS"`
	HooksBurst        float64 `help:"Burst of the same." default:"100" env:"FERMATA_RATE_HOOKS_BURST"`
	Streams           int     `help:"Concurrent event streams of one key." default:"100" env:"FERMATA_RATE_STREAMS"`
	StreamsPerAddress int     `help:"Concurrent event streams from one address." default:"1000" env:"FERMATA_RATE_STREAMS_PER_ADDRESS"`
	KeptAnswers       int     `help:"Answers stored for the Idempotency-Keys of one key, each for 24 hours." default:"10000" env:"FERMATA_RATE_KEPT_ANSWERS"`
}

// check rejects invalid limits.
func (f *Rates) check() error {
	for name, value := range map[string]float64{
		"REQUESTS": f.Requests, "REQUESTS_BURST": f.RequestsBurst, "FAILURES": f.Failures, "FAILURES_BURST": f.FailuresBurst,
		"HOOKS": f.Hooks, "HOOKS_BURST": f.HooksBurst, "STREAMS": float64(f.Streams), "STREAMS_PER_ADDRESS": float64(f.StreamsPerAddress),
		"KEPT_ANSWERS": float64(f.KeptAnswers),
	} {
		if value != 0 && !(value >= 0.001 && value <= 1e9) {
			return fmt.Errorf("FERMATA_RATE_%s is %g; it must be above 0, or 0 for the default", name, value)
		}
	}
	for name, value := range map[string]float64{
		"REQUESTS_BURST": f.RequestsBurst, "FAILURES_BURST": f.FailuresBurst, "HOOKS_BURST": f.HooksBurst,
	} {
		if value != 0 && value < 1 {
			return fmt.Errorf("FERMATA_RATE_%s is %g; a burst below 1 would reject every request", name, value)
		}
	}
	return nil
}

// limits converts the limits for the handlers.
func (f *Rates) limits() edge.RateLimits {
	return edge.RateLimits{
		PerSecond: f.Requests, Burst: f.RequestsBurst, FailuresPerSecond: f.Failures, FailuresBurst: f.FailuresBurst,
		HooksPerSecond: f.Hooks, HooksBurst: f.HooksBurst, StreamsPerKey: f.Streams, StreamsPerAddress: f.StreamsPerAddress,
		KeptAnswers: f.KeptAnswers,
	}
}
