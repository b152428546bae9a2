module example.invalid/realparts/traffic-client

go 1.26.0
