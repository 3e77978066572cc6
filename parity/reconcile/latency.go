package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpharness/acpharness/backends"
)

// latencies repeats edits under one live session, and notes when the server saw each of them. An edit that nothing comes of ends it.
func (r *run) latencies(ctx context.Context) (err error) {
	st, err := newStage(ctx, r.subject)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(ctx)) }()
	if err := st.baseline(ctx, backends.EditRemove); err != nil {
		return err
	}
	if err := st.connect(ctx); err != nil {
		return err
	}
	session, err := st.open(ctx, false)
	if err != nil {
		return err
	}
	for _, server := range []string{"base", "extra"} {
		target := st.base
		if server == "extra" {
			target = st.extra
		}
		if sight, err := st.await(ctx, session, target, r.opts.Window); err != nil || sight.Called["alpha"] != Yes {
			return errors.Join(fmt.Errorf("cannot measure: the server %s cannot be called", server), err)
		}
	}
	r.report.Latencies = map[backends.Edit][]float64{}
	for n := range r.opts.Repeat {
		r.tell(fmt.Sprintf("latencies %d of %d", n+1, r.opts.Repeat))
		for _, edit := range []backends.Edit{backends.EditDisable, backends.EditEnable, backends.EditRemove, backends.EditAdd} {
			took, err := r.time(ctx, st, edit)
			if err != nil || took == 0 {
				return err
			}
			r.report.Latencies[edit] = append(r.report.Latencies[edit], took)
		}
	}
	return nil
}

// time makes an edit and returns after how many seconds the server saw it, 0 if it did not.
func (r *run) time(ctx context.Context, st *stage, edit backends.Edit) (float64, error) {
	seen, err := st.extra.Journal()
	if err != nil {
		return 0, err
	}
	res := Result{Cell: Cell{Edit: edit}}
	at := time.Now()
	if err := st.edit(ctx, res.Cell); err != nil {
		return 0, err
	}
	entries, err := st.settle(ctx, len(seen), edit, processes(seen), r.opts.Window)
	if err != nil {
		return 0, err
	}
	res.note(entries, at)
	return res.Latency, nil
}
