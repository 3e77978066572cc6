package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"
)

// table holds all results.
type table struct {
	specs []*spec
	rows  map[rowKey][]*result
}

type rowKey struct{ workload, subject string }

// figure is what a subject needs for one item, as medians over the rounds.
type figure struct {
	wall, cpu, allocs float64 // µs, µs, allocations
	died              string  // the first failure, empty if there was none
	runs, deaths      int
}

func newTable(specs []*spec) *table { return &table{specs, map[rowKey][]*result{}} }

func (t *table) add(s *spec, subject string, r *result) {
	key := rowKey{s.Name, subject}
	t.rows[key] = append(t.rows[key], r)
}

func (t *table) figure(workload, subject string) figure {
	var f figure
	var wall, cpu, allocs []float64
	i := slices.IndexFunc(t.specs, func(s *spec) bool { return s.Name == workload })
	if i < 0 {
		return f
	}
	items := float64(t.specs[i].Items)
	for _, r := range t.rows[rowKey{workload, subject}] {
		f.runs++
		if r.Died != "" {
			f.deaths++
			f.died = cmp.Or(f.died, r.Died)
			continue
		}
		wall = append(wall, micros(r.Wall)/items)
		cpu = append(cpu, micros(r.CPU)/items)
		allocs = append(allocs, float64(r.Mallocs)/items)
	}
	f.wall, f.cpu, f.allocs = median(wall), median(cpu), median(allocs)
	return f
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// median returns 0 for nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// floorOf names the floor that a workload is compared with.
func floorOf(s *spec) string {
	if s.Kind == kindStream {
		return valid
	}
	return pipe
}

func (t *table) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "workload\tsubject\tµs wall\tµs cpu\tallocs\tvs floor\tvs ours\t")
	var notes []string
	for _, s := range t.specs {
		floor, our := t.figure(s.Name, floorOf(s)), t.figure(s.Name, ours)
		for _, subject := range s.subjects {
			f := t.figure(s.Name, subject)
			if f.runs == 0 {
				continue
			}
			if f.died != "" {
				notes = append(notes, fmt.Sprintf("%s, %s, %d of %d runs: %s", s.Name, subject, f.deaths, f.runs, f.died))
			}
			if f.wall == 0 {
				fmt.Fprintf(out, "%s\t%s\tdied\t\t\t\t\t\n", s.Name, subject)
				continue
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, subject, number(f.wall), number(f.cpu),
				number(f.allocs), number(f.wall/floor.wall), number(f.wall/our.wall))
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(w, note)
	}
	return nil
}

// number writes three digits, or a dash for what is not known.
func number(x float64) string {
	switch {
	case x == 0 || math.IsInf(x, 0) || math.IsNaN(x):
		return "-"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// ratios are the figures that are worth watching, null where something is missing. Where coder/acp-go-sdk takes part,
// both sides ran paced, since it does not survive otherwise.
func (t *table) ratios() map[string]*float64 {
	wall := func(f figure) float64 { return f.wall }
	cpu := func(f figure) float64 { return f.cpu }
	ratio := func(of func(figure) float64, workload, a, b string) *float64 {
		x := of(t.figure(workload, a)) / of(t.figure(workload, b))
		return known(x)
	}
	return map[string]*float64{
		"updates_vs_coder":        ratio(wall, "updates paced", coder, ours),
		"updates_vs_ts":           ratio(wall, "updates", ts, ours),
		"updates_vs_valid":        ratio(wall, "updates", ours, valid),
		"sessions_10000_vs_valid": ratio(wall, "sessions 10000", ours, valid),
		"allocs_per_update":       known(t.figure("updates", ours).allocs),
		"roundtrip_vs_coder":      ratio(wall, "round trip", ours, coder),
		"updates_vs_coder_cpu":    ratio(cpu, "updates paced", coder, ours),
		"updates_vs_ts_cpu":       ratio(cpu, "updates", ts, ours),
		"updates_vs_valid_cpu":    ratio(cpu, "updates", ours, valid),
	}
}

// known rounds x, nil if it is no number.
func known(x float64) *float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	x = math.Round(x*1000) / 1000
	return &x
}
