// Package interop holds the test that runs package acp against an agent made with the official TypeScript SDK of the
// protocol, every method once in each direction. install.sh installs the SDK; ts/agent.mjs is the agent.
package interop
