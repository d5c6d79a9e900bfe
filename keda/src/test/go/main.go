// Asks a scaler as KEDA does, by KEDA's own stubs: go run . HOST:PORT GROUP. Exits with 0 once it has got a number.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

const patience = 2 * time.Minute

func fail(what string, err error) {
	fmt.Fprintln(os.Stderr, what+":", err)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 3 {
		fail("usage", fmt.Errorf("go run . HOST:PORT GROUP"))
	}
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fail("connect", err)
	}
	defer connection.Close()
	scaler := pb.NewExternalScalerClient(connection)
	limit, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shop := &pb.ScaledObjectRef{Name: "shop", Namespace: "prod", ScalerMetadata: map[string]string{
		"scalerAddress": os.Args[1], "group": os.Args[2], "stabilization.seconds": "0", "catch.up.seconds": "60"}}

	wrong := &pb.ScaledObjectRef{Name: "shop", Namespace: "prod", ScalerMetadata: map[string]string{"lag": "1"}}
	if _, err := scaler.GetMetricSpec(limit, wrong); status.Code(err) != codes.InvalidArgument {
		fail("wrong metadata", err)
	}
	specs, err := scaler.GetMetricSpec(limit, shop)
	if err != nil {
		fail("GetMetricSpec", err)
	}
	spec := specs.GetMetricSpecs()[0]
	fmt.Println("GetMetricSpec:", spec.GetMetricName(), spec.GetTargetSizeFloat(), spec.GetTargetSize())
	active, err := scaler.StreamIsActive(limit, shop)
	if err != nil {
		fail("StreamIsActive", err)
	}
	for {
		values, err := scaler.GetMetrics(limit, &pb.GetMetricsRequest{ScaledObjectRef: shop, MetricName: spec.GetMetricName()})
		if err == nil && values.GetMetricValues()[0].GetMetricValueFloat() >= 1 {
			fmt.Println("GetMetrics:", values.GetMetricValues()[0].GetMetricValueFloat())
			break
		}
		if err != nil && status.Code(err) != codes.Unavailable {
			fail("GetMetrics", err)
		}
		time.Sleep(time.Second)
	}
	answer, err := scaler.IsActive(limit, shop)
	if err != nil || !answer.GetResult() {
		fail("IsActive", err)
	}
	told, err := active.Recv()
	if err != nil || !told.GetResult() {
		fail("StreamIsActive", err)
	}
	fmt.Println("IsActive:", answer.GetResult(), told.GetResult())
}
