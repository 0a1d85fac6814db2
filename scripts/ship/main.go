package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"
)

// source is set by the Makefile: the version to ship, and the time of its commit (SOURCE_DATE_EPOCH), the only
// time in the artefacts.
type source struct {
	version, commit string
	at              time.Time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ship:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: ship image|release FOLDER, with VERSION, COMMIT and SOURCE_DATE_EPOCH in the environment")
	}
	from := source{version: os.Getenv("VERSION"), commit: os.Getenv("COMMIT")}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil || from.version == "" {
		return fmt.Errorf("VERSION and SOURCE_DATE_EPOCH (the commit's time in seconds) must be set, as make does")
	}
	from.at = time.Unix(seconds, 0).UTC()
	switch args[0] {
	case "image":
		return makeImage(ctx, from, args[1])
	case "release":
		return makeRelease(ctx, from, args[1])
	}
	return fmt.Errorf("unknown command %q: use image or release", args[0])
}
