// Calls Health.Check in the patterns that once lost calls, and prints how many of each were lost.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

type pattern struct {
	callers, calls int
	pause          time.Duration
}

func (p pattern) run(target string) string {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err.Error()
	}
	defer connection.Close()
	client := grpc_health_v1.NewHealthClient(connection)
	var lost atomic.Int64
	var callers sync.WaitGroup
	for range p.callers {
		callers.Go(func() {
			for range p.calls {
				if _, err := client.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
					lost.Add(1)
				}
				time.Sleep(p.pause)
			}
		})
	}
	callers.Wait()
	return fmt.Sprintf("%d at %d, pause %v: %d lost", p.callers*p.calls, p.callers, p.pause, lost.Load())
}

func main() {
	patterns := []pattern{
		{1, 1000, 20 * time.Millisecond},
		{5, 100, 100 * time.Millisecond},
		{10, 400, time.Millisecond},
		{50, 200, 0},
	}
	results := make([]string, len(patterns))
	var running sync.WaitGroup
	for at, one := range patterns {
		running.Go(func() { results[at] = one.run(os.Args[1]) })
	}
	running.Wait()
	for _, result := range results {
		fmt.Println(result)
	}
}
