// Package cli is what the three programs share around their work: signals, the
// logger, what is printed at the end, and the exit code.
//
//	func main() { os.Exit(cli.Main("ingest", cli.Worker("ingest", ingest.Run))) }
//
// Exit codes: 0 done, 1 failed, 2 wrong usage or input. Contracts:
//
//   - The first SIGTERM or SIGINT ends the context of the program, which then
//     finishes what it has begun; one that comes a second later ends the process with
//     code 1.
//   - A failure is reported once: the failure of a worker by its logger, any other on
//     standard error under the program's name.
//   - Standard output holds data and texts that were asked for, nothing else.
package cli
