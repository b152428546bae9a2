package main

import (
	"bufio"
	"encoding/json"
	"maps"
	"sync"
	"time"
)

// counts of requests; every request that was sent ends as exactly one of ok, failed, unfinished.
type counts struct {
	Sent       int `json:"sent"`
	Ok         int `json:"ok"`
	Failed     int `json:"failed"`
	Retried    int `json:"retried"`
	Unfinished int `json:"unfinished"`
}

type failure struct {
	Kind      string    `json:"kind"`
	StartedAt time.Time `json:"startedAt"`
	Errors    []string  `json:"errors"`
}

type report struct {
	mutex     sync.Mutex
	out       *bufio.Writer
	now       counts
	all       counts
	dials     int
	servers   map[string]string
	lastError string
	cred      *credential
	serverNow string
}

func newReport(out *bufio.Writer) *report {
	return &report{out: out, servers: map[string]string{}}
}

func (r *report) sent()       { r.count(func(c *counts) { c.Sent++ }) }
func (r *report) ok()         { r.count(func(c *counts) { c.Ok++ }) }
func (r *report) unfinished() { r.count(func(c *counts) { c.Unfinished++ }) }

func (r *report) retried(err error) {
	r.count(func(c *counts) { c.Retried++ })
	r.trouble(err)
}

func (r *report) failed(f failure) {
	r.count(func(c *counts) { c.Failed++ })
	r.mutex.Lock()
	defer r.mutex.Unlock()
	line := map[string]any{"type": "failure", "t": time.Now().UTC(), "kind": f.Kind, "startedAt": f.StartedAt.UTC(), "errors": f.Errors}
	r.describe(line)
	if n := len(f.Errors); n > 0 {
		r.lastError = f.Errors[n-1]
		line["lastError"] = r.lastError
	}
	r.write(line)
}

func (r *report) trouble(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.lastError = err.Error()
}

func (r *report) loaded(cred *credential) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.cred = cred
}

// last is what loaded was told last.
func (r *report) last() *credential {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.cred
}

func (r *report) met(address, serverLeaf string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.servers[address] = serverLeaf
	r.serverNow = serverLeaf
}

func (r *report) dialed() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.dials++
}

// second writes what happened since the last call.
func (r *report) second() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.write(r.summary("second", r.now))
	r.now = counts{}
	r.lastError = ""
}

func (r *report) total() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.write(r.summary("total", r.all))
}

func (r *report) count(change func(*counts)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	change(&r.now)
	change(&r.all)
}

func (r *report) summary(kind string, c counts) map[string]any {
	line := map[string]any{
		"type": kind, "t": time.Now().UTC(),
		"sent": c.Sent, "ok": c.Ok, "failed": c.Failed, "retried": c.Retried, "unfinished": c.Unfinished,
		"keptDials": r.dials, "lastError": r.lastError,
	}
	r.describe(line)
	return line
}

func (r *report) describe(line map[string]any) {
	if r.cred != nil {
		line["clientSerial"] = r.cred.serial
		line["clientIssuerKeyId"] = r.cred.issuerID
		line["caCount"] = len(r.cred.rootIDs)
		line["caKeyIds"] = r.cred.rootIDs
	}
	line["serverLeafSha256"] = r.serverNow
	line["servers"] = maps.Clone(r.servers)
}

func (r *report) write(line map[string]any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	r.out.Write(text)
	r.out.WriteByte('\n')
	r.out.Flush()
}
