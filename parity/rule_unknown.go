package parity

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// checkUnknown asks for ids that are nearly known, and for words that could be taken for a default.
func checkUnknown(c *catalog, r *recorder) {
	known := map[string]bool{}
	for _, d := range c.all {
		for _, id := range append([]string{d.ID}, d.Aliases...) {
			known[id] = true
		}
	}
	for _, d := range c.selected {
		for _, id := range append([]string{d.ID}, d.Aliases...) {
			found, err := c.lookup(id)
			r.compare(d.ID, "look up "+id, d.ID, found.ID+faultText(err), "a known id leads elsewhere")
		}
		for _, id := range []string{d.ID + "x", "x" + d.ID, d.ID + "-2", d.ID + "." + d.ID, strings.TrimSuffix(d.ID, d.ID[len(d.ID)-1:])} {
			if !known[id] {
				c.refuses(r, d.ID, id)
			}
		}
	}
	for _, id := range []string{"", " ", "*", "all", "default", "unknown", "no-such-agent"} {
		c.refuses(r, AllBackends, id)
	}
	nothing := c.declare(backends.Descriptor{ID: "unknown"}, acp.Implementation{Name: "unknown", Version: hopefulVersion})
	for _, key := range backends.TrustKeys() {
		r.compare(AllBackends, "unknown backend: "+string(key), "no", answer(nothing.Trust(key).Granted), "an unknown backend is granted something")
	}
}

func (c *catalog) refuses(r *recorder, backend, id string) {
	found, err := c.lookup(id)
	seen := "refused"
	if _, ok := errors.AsType[*backends.UnknownError](err); !ok {
		seen = fmt.Sprintf("%q%s", found.ID, faultText(err))
	}
	r.compare(backend, fmt.Sprintf("look up %q", id), "refused", seen, "an id that nobody has falls through to a backend")
}

func faultText(err error) string {
	if err == nil {
		return ""
	}
	return " " + err.Error()
}

func (c *catalog) knows(id string) bool {
	return slices.ContainsFunc(c.all, func(d backends.Descriptor) bool { return d.ID == id })
}
