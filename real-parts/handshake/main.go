// Go's side of the handshake matrix: servers and clients of mutual TLS, driven by one JSON command a line on standard
// input, answered by one JSON line each on standard output in the same order. Ends with its input.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const timeout = 5 * time.Second

type command struct {
	// "listen" or "request".
	Do string `json:"do"`
	// Own pair and trusted roots, PEM.
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
	Bundle      string `json:"bundle"`
	// For a request: where, on loopback.
	Port       int    `json:"port"`
	ServerName string `json:"serverName"`
}

type answer struct {
	Port int `json:"port,omitempty"`
	// "answered", "client refuses", "server refuses" or "unclear".
	Outcome string `json:"outcome,omitempty"`
	Why     string `json:"why,omitempty"`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var cmd command
		if err := json.Unmarshal(line, &cmd); err != nil {
			log.Fatal("a command is not JSON")
		}
		result, err := run(cmd)
		if err != nil {
			result = answer{Outcome: "unclear", Why: err.Error()}
		}
		if err := out.Encode(result); err != nil {
			return
		}
	}
}

func run(cmd command) (answer, error) {
	pair, err := tls.X509KeyPair([]byte(cmd.Certificate), []byte(cmd.Key))
	if err != nil {
		return answer{}, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(cmd.Bundle)) {
		return answer{}, errors.New("no root in the bundle")
	}
	if cmd.Do == "listen" {
		return listen(pair, roots)
	}
	return request(cmd, pair, roots), nil
}

func listen(pair tls.Certificate, roots *x509.CertPool) (answer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return answer{}, err
	}
	server := &http.Server{
		Handler:           http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ReadHeaderTimeout: timeout,
		ErrorLog:          log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{pair},
			ClientCAs:    roots,
			ClientAuth:   tls.RequireAndVerifyClientCert,
			MinVersion:   tls.VersionTLS13,
			NextProtos:   []string{"http/1.1"},
		},
	}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	return answer{Port: listener.Addr().(*net.TCPAddr).Port}, nil
}

func request(cmd command, pair tls.Certificate, roots *x509.CertPool) answer {
	dialer := &tls.Dialer{
		NetDialer: &net.Dialer{Timeout: timeout},
		Config: &tls.Config{
			// Not `Certificates`: Go would keep back a certificate whose issuer the server does not name, and show none.
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil },
			RootCAs:              roots,
			ServerName:           cmd.ServerName,
			MinVersion:           tls.VersionTLS13,
		},
	}
	conn, err := dialer.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", cmd.Port))
	if err != nil {
		return judge(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(timeout))
	_, _ = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", cmd.ServerName)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return judge(err)
	}
	_ = response.Body.Close()
	return answer{Outcome: "answered"}
}

func judge(err error) answer {
	var verification *tls.CertificateVerificationError
	if errors.As(err, &verification) {
		return answer{Outcome: "client refuses", Why: verification.Err.Error()}
	}
	if strings.Contains(err.Error(), "remote error: tls:") {
		return answer{Outcome: "server refuses", Why: err.Error()}
	}
	return answer{Outcome: "unclear", Why: err.Error()}
}
