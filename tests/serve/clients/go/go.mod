module walduct/clients

go 1.19

require github.com/go-kafka/connect v0.9.0
