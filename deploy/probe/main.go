// Command probe asks an HTTP address once and exits with 0 when the answer is 200, else with 1. It
// is the health check inside the image, which has no shell and no curl.
//
//	probe http://127.0.0.1:7431/readyz
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout)) }

// run writes what was answered, which "docker inspect" shows.
func run(args []string, out io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(out, "usage: probe URL")
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	status, body, err := ask(ctx, args[0])
	if err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	fmt.Fprintf(out, "%d %s", status, body)
	if status != http.StatusOK {
		return 1
	}
	return 0
}

func ask(ctx context.Context, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 4096))
	return resp.StatusCode, body, err
}
