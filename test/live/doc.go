// Package live runs real agents, installed from npm by install.sh, against a fake model on loopback:
//
//	bash test/live/install.sh opencode qwen
//	go test -v -count=1 ./test/live -live
//
// What each agent does is compared with the table of docs/agents.md, which -update writes anew. Without -live, or LIVE=1 in
// the environment, nothing is started. Agents that are not installed are skipped and counted, unless -agents names them.
package live
