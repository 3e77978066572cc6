package acp

import "time"

// Progress tells of one phase of starting an agent or of opening a session.
type Progress struct {
	Phase   Phase
	Elapsed time.Duration // since the phase began, 0 when it begins
	Done    bool          // the phase has ended
	Err     error         // why it failed, when it has ended
}

// progressEvery is how often a phase that lasts is told of.
const progressEvery = 5 * time.Second

// during tells of a phase while fn runs. The goroutine that tells while it lasts is joined before during returns.
func (c *Client) during(phase Phase, fn func() error) error {
	tell := c.opts.Progress
	if tell == nil {
		return fn()
	}
	began := time.Now()
	tell(Progress{Phase: phase})
	over, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
				tell(Progress{Phase: phase, Elapsed: time.Since(began)})
			}
		}
	}()
	err := fn()
	close(over)
	<-told
	tell(Progress{Phase: phase, Elapsed: time.Since(began), Done: true, Err: err})
	return err
}
