package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

type client struct {
	dir        string
	addresses  []string
	serverName string
	path       string
	timeout    time.Duration
	retry      time.Duration
	report     *report
	turn       atomic.Uint64
	// slots bounds the tries under way. Without it a machine that is busy for some seconds never recovers: ever more
	// handshakes share its cores, each runs out of time just before its end, and all are begun anew.
	slots chan struct{}
}

// mostTries leaves room for a gateway that swallows every second connection.
const mostTries = 24

// One try may not use up the time of the whole request: a gateway that is being replaced can swallow a connection.
const tryTimeout = 3 * time.Second

// waitForCredential returns false when the context ended before the folder held a complete Secret.
func (c *client) waitForCredential(ctx context.Context) bool {
	for {
		cred, err := load(c.dir, nil)
		if err == nil {
			c.report.loaded(cred)
			return true
		}
		if !errors.Is(err, errUnmounted) {
			c.report.trouble(err)
		}
		if !sleep(ctx, 50*time.Millisecond) {
			return false
		}
	}
}

// newRequest makes a request with a connection and a full handshake of its own for each try.
func (c *client) newRequest(ctx context.Context) {
	transport := &http.Transport{DialTLSContext: c.dial, DisableKeepAlives: true}
	c.untilAnswered(ctx, "new", transport)
}

type keptConnection struct {
	client    *client
	transport *http.Transport
}

// newKeptConnection stands for the one connection that is kept alive beside the others. When the server closes it, the
// next request dials anew, with what the folder holds then.
func (c *client) newKeptConnection() *keptConnection {
	kept := &keptConnection{client: c}
	kept.transport = &http.Transport{
		MaxConnsPerHost: 1,
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c.report.dialed()
			return c.dial(ctx, network, address)
		},
	}
	return kept
}

func (k *keptConnection) request(ctx context.Context) {
	k.client.untilAnswered(ctx, "kept", k.transport)
}

// untilAnswered tries until the answer is 200 or the time of the request is over.
func (c *client) untilAnswered(ctx context.Context, kind string, transport *http.Transport) {
	started := time.Now()
	c.report.sent()
	inTime, cancel := context.WithDeadline(ctx, started.Add(c.timeout))
	defer cancel()
	var errs []string
	for {
		err := c.try(inTime, transport)
		if err == nil {
			c.report.ok()
			return
		}
		if ctx.Err() != nil {
			c.report.unfinished()
			return
		}
		transport.CloseIdleConnections()
		errs = appendBounded(errs, err.Error())
		if !sleep(inTime, c.retry) {
			if ctx.Err() != nil {
				c.report.unfinished()
			} else {
				c.report.failed(failure{Kind: kind, StartedAt: started, Errors: errs})
			}
			return
		}
		c.report.retried(err)
	}
}

func (c *client) try(ctx context.Context, transport *http.Transport) error {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+c.serverName+c.path, nil)
	if err != nil {
		return err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP status %d", answer.StatusCode)
	}
	return nil
}

// dial connects to the next gateway with the credentials of this moment. The address that the transport asks for is the
// gateway's public name, which does not resolve here.
func (c *client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	cred, err := load(c.dir, c.report.last())
	if err != nil {
		return nil, err
	}
	c.report.loaded(cred)
	address := c.addresses[c.turn.Add(1)%uint64(len(c.addresses))]
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	// No ClientSessionCache: a resumed session would show neither certificate again.
	secure := tls.Client(raw, &tls.Config{
		ServerName:   c.serverName,
		RootCAs:      cred.roots,
		Certificates: []tls.Certificate{cred.pair},
		MinVersion:   tls.VersionTLS13,
		MaxVersion:   tls.VersionTLS13,
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, fmt.Errorf("gateway %s: %w", address, err)
	}
	state := secure.ConnectionState()
	if state.DidResume {
		// Traffic that proves nothing must not look like success.
		panic("a TLS session was resumed")
	}
	digest := sha256.Sum256(state.PeerCertificates[0].Raw)
	c.report.met(address, hex.EncodeToString(digest[:]))
	return secure, nil
}

// appendBounded keeps the first and the latest tries: at two a second a request has at most some twenty.
func appendBounded(errs []string, err string) []string {
	if n := len(errs); n > 0 && errs[n-1] == err {
		return errs
	}
	return append(errs, err)
}
