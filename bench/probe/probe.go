// Package probe looks at a worker from outside.
package probe

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FreeAddress returns an address of this machine on which nothing listens.
func FreeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Metrics are the values of series by name and labels, as Prometheus writes them.
type Metrics map[string]float64

// Ask returns the metrics of the worker at an address.
func Ask(ctx context.Context, address string) (Metrics, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("/metrics answers %d: %s", answer.StatusCode, text)
	}
	m := Metrics{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		end := strings.LastIndexByte(line, ' ')
		if m[line[:max(end, 0)]], err = strconv.ParseFloat(line[end+1:], 64); err != nil {
			return nil, fmt.Errorf("/metrics: %s: %w", line, err)
		}
	}
	return m, nil
}

// Sum returns the sum of metrics over their labels.
func (m Metrics) Sum(names ...string) (sum float64) {
	for series, value := range m {
		if name, _, _ := strings.Cut(series, "{"); slices.Contains(names, name) {
			sum += value
		}
	}
	return sum
}
