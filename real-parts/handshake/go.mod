module example.invalid/realparts/handshake

go 1.26.0
