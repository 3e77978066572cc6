// Package test holds what looks at the whole module: the tests of its package
// directions and house rules, and programs that measure the built command.
package test
