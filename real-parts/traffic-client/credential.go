package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// credential is what one read of the mounted Secret gave.
type credential struct {
	version  string
	pair     tls.Certificate
	roots    *x509.CertPool
	serial   string
	issuerID string
	rootIDs  []string
}

var errUnmounted = errors.New("the Secret is not mounted yet")

// load reads all three files of one and the same version of the Secret: kubelet swaps the link ..data, so three reads
// through it could meet two versions. A version that is removed while it is read is read anew. Where the link still points
// to the version of before, there is nothing to read: a version never changes, and to parse an RSA key of 4096 bits ten
// times a second would take more time than all the handshakes.
func load(dir string, before *credential) (*credential, error) {
	var last error
	for range 5 {
		version, err := os.Readlink(filepath.Join(dir, "..data"))
		if errors.Is(err, os.ErrNotExist) {
			return nil, errUnmounted
		}
		if err != nil {
			return nil, err
		}
		if before != nil && before.version == version {
			return before, nil
		}
		cred, err := loadVersion(filepath.Join(dir, version))
		if err == nil {
			cred.version = version
		}
		if !errors.Is(err, os.ErrNotExist) {
			return cred, err
		}
		last = err
	}
	return nil, last
}

func loadVersion(dir string) (*credential, error) {
	certificate, err := os.ReadFile(filepath.Join(dir, "tls.crt"))
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(filepath.Join(dir, "tls.key"))
	if err != nil {
		return nil, err
	}
	bundle, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("tls.crt and tls.key: %w", err)
	}
	cred := &credential{
		pair:     pair,
		roots:    x509.NewCertPool(),
		serial:   pair.Leaf.SerialNumber.Text(16),
		issuerID: hex.EncodeToString(pair.Leaf.AuthorityKeyId),
	}
	for rest := bundle; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		root, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("ca.crt, certificate %d: %w", len(cred.rootIDs)+1, err)
		}
		cred.roots.AddCert(root)
		cred.rootIDs = append(cred.rootIDs, hex.EncodeToString(root.SubjectKeyId))
	}
	if len(cred.rootIDs) == 0 {
		return nil, errors.New("ca.crt holds no certificate")
	}
	return cred, nil
}
