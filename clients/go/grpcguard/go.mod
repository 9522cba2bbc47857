module latchkey.example/latchkey/grpcguard

go 1.25.0

require (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260414002931-afd174a4e478
	google.golang.org/grpc v1.82.1
	google.golang.org/protobuf v1.36.12
)

// The version of this one: a release tags both.
require latchkey.example/latchkey v0.1.0

require (
	connectrpc.com/connect v1.21.0 // indirect
	golang.org/x/net v0.53.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
	golang.org/x/text v0.36.0 // indirect
)

// In a checkout. Users of a release get the release's module.
replace latchkey.example/latchkey => ../
