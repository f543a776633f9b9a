//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/proxy"
	"bayestream/test/chaos/results"
)

// network puts a proxy between each worker and the broker, and makes each of them a bad network for
// a while.
func (s *suite) network(ctx context.Context, left plan) (*results.Result, error) {
	var proxies []*proxy.Proxy
	defer func() {
		for _, p := range proxies {
			p.Close()
		}
	}()
	for range 4 {
		p, err := proxy.Listen()
		if err != nil {
			return nil, err
		}
		proxies = append(proxies, p)
	}
	o := kafka.Options{Nodes: 1, Heap: "512m", Props: func(first int) string { return advertise(first, proxies) }}
	return s.in(ctx, "network", o, func(w *world) error { return w.underNetworkFaults(ctx, left, proxies) })
}

// advertise gives the broker a listener for each proxy and makes it tell clients of that listener
// the address of the proxy.
func advertise(first int, proxies []*proxy.Proxy) string {
	local := fmt.Sprintf("PLAINTEXT://127.0.0.1:%d", first)
	listeners := []string{local, fmt.Sprintf("CONTROLLER://127.0.0.1:%d", first+1)}
	advertised := []string{local}
	protocols := []string{"PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"}
	for i, p := range proxies {
		at := fmt.Sprintf("127.0.0.1:%d", first+kafka.Spare+i)
		p.Forward(at)
		listeners = append(listeners, fmt.Sprintf("W%d://%s", i, at))
		advertised = append(advertised, fmt.Sprintf("W%d://%s", i, p.Addr()))
		protocols = append(protocols, fmt.Sprintf("W%d:PLAINTEXT", i))
	}
	return "listeners=" + strings.Join(listeners, ",") + "\nadvertised.listeners=" + strings.Join(advertised, ",") +
		"\nlistener.security.protocol.map=" + strings.Join(protocols, ",")
}

func (w *world) underNetworkFaults(ctx context.Context, left plan, proxies []*proxy.Proxy) error {
	var addresses []string
	of := map[*worker]*proxy.Proxy{}
	for _, p := range proxies {
		addresses = append(addresses, p.Addr())
	}
	if err := w.hire(addresses...); err != nil {
		return err
	}
	for i, one := range w.workers {
		of[one] = proxies[i]
	}
	if err := w.begin(ctx, rate); err != nil {
		return err
	}
	w.eachWorker(draw(left, atOnce, w.seed),
		func(one *worker, kind string, rng *rand.Rand) error { return spoil(of[one], kind, rng) })
	for _, p := range proxies {
		w.result.Outcomes["frames hit"] += int(p.Hit())
	}
	return w.finish(ctx)
}

// spoil is one fault of a network: it lasts from a moment to longer than a request may take, and
// than a session.
func spoil(p *proxy.Proxy, kind string, rng *rand.Rand) error {
	u := rng.Float64()
	long := time.Duration((0.2 + 20*u*u*u) * float64(time.Second))
	switch kind {
	case "acknowledgements dropped":
		p.Begin(proxy.DropAnswers, 0)
		time.Sleep(long)
	case "requests dropped":
		p.Begin(proxy.DropRequests, 0)
		time.Sleep(long)
	case "both directions stalled":
		p.Begin(proxy.Stall, 0)
		time.Sleep(long)
	case "30 s delay":
		p.Begin(proxy.Delay, 30*time.Second)
		time.Sleep(time.Second) // what comes in this second is 30 s late
	case "half open":
		p.Begin(proxy.HalfOpen, 0)
		time.Sleep(long)
	case "cut in mid-frame":
		p.Begin(proxy.Cut, 0)
		time.Sleep(long / 5)
	default:
		return fmt.Errorf("there is no fault %q", kind)
	}
	p.End()
	return nil
}
