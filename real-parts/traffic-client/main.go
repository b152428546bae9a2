// A stand-in for the watcher in one runtime: it reads its credentials from a mounted Secret and calls the hub's gateway
// over mutual TLS, about ten times a second with a full handshake each, and once a second over a connection kept alive.
//
// It writes JSON lines to standard output: one a second ("second"), one for each failed request ("failure"), one at the
// end ("total"). SIGINT: no new requests, every request under way is judged, then the end. SIGTERM, or the end of
// standard input: the end at once; what was under way counts as unfinished.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	dir := flag.String("dir", "", "folder that the Secret is mounted in")
	address := flag.String("address", "", "host:port of the gateways, separated by commas, taken in turn")
	serverName := flag.String("server-name", "", "host of the gateway: SNI and Host header")
	path := flag.String("path", "/", "path to ask for")
	rate := flag.Float64("rate", 10, "requests a second with a new connection each")
	seed := flag.Uint64("seed", 1, "seed of the spread of the requests over time")
	timeout := flag.Duration("timeout", 10*time.Second, "a request has failed when it got no 200 within this time of its start")
	retry := flag.Duration("retry", 500*time.Millisecond, "time between two tries of one request")
	flag.Parse()
	if *dir == "" || *address == "" || *serverName == "" {
		fmt.Fprintln(os.Stderr, "--dir, --address and --server-name are needed")
		os.Exit(2)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	drain := make(chan os.Signal, 1)
	end := make(chan os.Signal, 1)
	signal.Notify(drain, os.Interrupt)
	signal.Notify(end, syscall.SIGTERM)
	go func() {
		<-end
		cancel()
	}()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()

	out := bufio.NewWriter(os.Stdout)
	report := newReport(out)
	client := &client{
		dir:        *dir,
		addresses:  strings.Split(*address, ","),
		serverName: *serverName,
		path:       *path,
		timeout:    *timeout,
		retry:      *retry,
		report:     report,
		slots:      make(chan struct{}, mostTries),
	}
	run(ctx, drain, client, *rate, rand.New(rand.NewPCG(*seed, 0)))
	report.total()
}

func run(ctx context.Context, drain <-chan os.Signal, c *client, rate float64, random *rand.Rand) {
	sending, stopSending := context.WithCancel(ctx)
	defer stopSending()
	go func() {
		select {
		case <-drain:
			stopSending()
		case <-sending.Done():
		}
	}()
	// Every request is judged before run returns, so that no failure is lost with the process.
	var underWay sync.WaitGroup
	defer underWay.Wait()

	underWay.Go(func() { everySecond(sending, c.report.second) })
	if !c.waitForCredential(sending) {
		return
	}
	underWay.Go(func() {
		kept := c.newKeptConnection()
		everySecond(sending, func() { kept.request(ctx) })
	})
	period := time.Duration(float64(time.Second) / rate)
	next := time.Now()
	for {
		// Somewhere within its period: two runtimes with different seeds do not knock at the same moments.
		if !sleep(sending, time.Until(next.Add(time.Duration(random.Float64()*float64(period))))) {
			return
		}
		next = next.Add(period)
		underWay.Go(func() { c.newRequest(ctx) })
	}
}

func everySecond(ctx context.Context, do func()) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			// Both may have come while the last call took its time; then the end goes first.
			if ctx.Err() != nil {
				return
			}
			do()
		}
	}
}

// sleep returns false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
