package proc

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
)

// nonceKey is the environment variable that every process of a tree inherits, unless it is given another environment.
const nonceKey = "ACPHARNESS_TREE"

const nonceBytes = 16

func newNonce() string {
	var b [nonceBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// withNonce returns the environment with this nonce and no other.
func withNonce(env []string, nonce string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, nonceKey+"=") })
	return append(env, nonceKey+"="+nonce)
}

func isNonce(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == nonceBytes && s == strings.ToLower(s)
}

// nonceOf finds the nonce in an environment block of entries that end in a zero byte. A tree's own nonce goes before
// any other, because what counts is that the process belongs to that tree.
func nonceOf(block, own string) string {
	found := ""
	for kv := range strings.SplitSeq(block, "\x00") {
		v, ok := strings.CutPrefix(kv, nonceKey+"=")
		switch {
		case !ok:
		case v == own:
			return v
		case found == "":
			found = v
		}
	}
	return found
}
