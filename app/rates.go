package app

import (
	"fmt"

	"github.com/fermata-dev/fermata/handlers"
)

// Rates bound what one caller may ask; 0 is the default.
type Rates struct {
	Requests          float64 `help:"Requests a second of one key; each 64 KiB of a body count as one more." default:"500" env:"FERMATA_RATE_REQUESTS"`
	RequestsBurst     float64 `help:"Requests of one key in a burst." default:"1000" env:"FERMATA_RATE_REQUESTS_BURST"`
	Failures          float64 `help:"Bad credentials a second from one address." default:"10" env:"FERMATA_RATE_FAILURES"`
	FailuresBurst     float64 `help:"Bad credentials from one address in a burst." default:"1000" env:"FERMATA_RATE_FAILURES_BURST"`
	Hooks             float64 `help:"Calls a second of one automation's webhook, and forged ones from one address." default:"10" env:"FERMATA_RATE_HOOKS"`
	HooksBurst        float64 `help:"The same in a burst." default:"100" env:"FERMATA_RATE_HOOKS_BURST"`
	Streams           int     `help:"Event streams of one key that are open at a time." default:"100" env:"FERMATA_RATE_STREAMS"`
	StreamsPerAddress int     `help:"Event streams from one address that are open at a time." default:"1000" env:"FERMATA_RATE_STREAMS_PER_ADDRESS"`
	KeptAnswers       int     `help:"Answers that are kept for the Idempotency-Keys of one key, each for 24 hours." default:"10000" env:"FERMATA_RATE_KEPT_ANSWERS"`
}

// check refuses what bounds nothing.
func (f *Rates) check() error {
	for name, value := range map[string]float64{
		"REQUESTS": f.Requests, "REQUESTS_BURST": f.RequestsBurst, "FAILURES": f.Failures, "FAILURES_BURST": f.FailuresBurst,
		"HOOKS": f.Hooks, "HOOKS_BURST": f.HooksBurst, "STREAMS": float64(f.Streams), "STREAMS_PER_ADDRESS": float64(f.StreamsPerAddress),
		"KEPT_ANSWERS": float64(f.KeptAnswers),
	} {
		if value != 0 && !(value >= 0.001 && value <= 1e9) {
			return fmt.Errorf("FERMATA_RATE_%s is %g; it takes a number above 0, or 0 for the default", name, value)
		}
	}
	for name, value := range map[string]float64{
		"REQUESTS_BURST": f.RequestsBurst, "FAILURES_BURST": f.FailuresBurst, "HOOKS_BURST": f.HooksBurst,
	} {
		if value != 0 && value < 1 {
			return fmt.Errorf("FERMATA_RATE_%s is %g; a burst of less than 1 lets nothing pass", name, value)
		}
	}
	return nil
}

// limits are the same for the handlers.
func (f *Rates) limits() handlers.RateLimits {
	return handlers.RateLimits{
		PerSecond: f.Requests, Burst: f.RequestsBurst, FailuresPerSecond: f.Failures, FailuresBurst: f.FailuresBurst,
		HooksPerSecond: f.Hooks, HooksBurst: f.HooksBurst, StreamsPerKey: f.Streams, StreamsPerAddress: f.StreamsPerAddress,
		KeptAnswers: f.KeptAnswers,
	}
}
