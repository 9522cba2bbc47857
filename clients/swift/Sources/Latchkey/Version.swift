/// That of the service's release. By it a service's operator sees which versions are in use.
let latchkeyVersion = "0.1.0"
