package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long one subject may take for one workload.
const patience = 5 * time.Minute

// driver runs every subject on every workload, in turn, several times.
type driver struct {
	self  string
	ts    string // folder of the TypeScript client with what it needs; empty leaves it out
	table *table
}

func run(args []string) error {
	flags := flag.NewFlagSet("bench run", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "one round of smaller workloads")
	asJSON := flags.Bool("json", false, "print the ratios as JSON, on the last line")
	tsDir := flags.String("ts", "", "`folder` with client.mjs and its node_modules")
	only := flags.String("only", "", "run only workloads whose name contains `text`")
	rounds := flags.Int("rounds", 5, "how often everything is measured; quick has one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *quick {
		*rounds = 1
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var list []*spec
	for _, s := range workloads(*quick) {
		if strings.Contains(s.Name, *only) {
			list = append(list, s)
		}
	}
	d := &driver{self: self, ts: *tsDir, table: newTable(list)}
	failed := d.all(list, *rounds)
	if err := d.table.print(os.Stdout); err != nil {
		return err
	}
	if *asJSON {
		line, err := json.Marshal(d.table.ratios())
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return failed
}

// all measures. The rounds are outermost so that what else the machine does is spread over all. The error is about
// subjects that must not fail: this module's and the floors.
func (d *driver) all(list []*spec, rounds int) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	want := make([]*result, len(list))
	for i, s := range list {
		if want[i], err = prepare(s, dir); err != nil {
			return err
		}
	}
	var failed []error
	for round := range rounds {
		for i, s := range list {
			if s.once && round > 0 {
				continue
			}
			for _, subject := range s.subjects {
				if subject == ts && d.ts == "" {
					continue
				}
				r := d.one(subject, s)
				judge(subject, r, want[i])
				d.table.add(s, subject, r)
				if r.Died != "" && subject != coder && subject != ts {
					failed = append(failed, fmt.Errorf("%s, %s: %s", s.Name, subject, r.Died))
				}
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, s.Name)
		}
	}
	return errors.Join(failed...)
}

// prepare returns what every client must have seen of a workload, with Text in bytes and Asked; Mallocs holds the length
// of the text in units of UTF-16.
func prepare(s *spec, dir string) (*result, error) {
	switch s.Kind {
	case kindStream:
		st := makeStream(s)
		return &result{Updates: int64(s.Items), Text: st.text.bytes, Mallocs: uint64(st.text.units)}, nil
	case kindAsk:
		return &result{Asked: int64(s.Items)}, nil
	}
	plain, _ := longText(s.Size)
	s.TextFile = filepath.Join(dir, "prompt")
	return &result{}, os.WriteFile(s.TextFile, plain, 0o600)
}

// judge turns a run that missed something into a failure.
func judge(subject string, r, want *result) {
	text := want.Text
	switch subject {
	case lines, valid, pipe:
		text = 0
	case ts:
		text = int64(want.Mallocs)
	}
	if r.Died == "" && (r.Updates != want.Updates || r.Asked != want.Asked || r.Text != text) {
		r.Died = fmt.Sprintf("wrong: %d updates with %d of text, %d requests; want %d, %d, %d",
			r.Updates, r.Text, r.Asked, want.Updates, text, want.Asked)
	}
}

// one runs one subject in a process of its own.
func (d *driver) one(subject string, s *spec) *result {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.self, "client", subject, s.String())
	if subject == ts {
		cmd = exec.CommandContext(ctx, "node", filepath.Join(d.ts, "client.mjs"), d.self, s.String())
	}
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	r := &result{}
	if err == nil {
		err = json.Unmarshal(out, r)
	}
	if err != nil {
		r.Died = fmt.Sprintf("the client failed: %v: %.300s", err, errs.Bytes())
	}
	return r
}
