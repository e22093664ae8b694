// Drives a worker through the life of a connector with github.com/go-kafka/connect: drive URL NAME CONFIG.json
package main

import (
	"encoding/json"
	"log"
	"os"
	"reflect"
	"time"

	"github.com/go-kafka/connect"
)

func must(err error, what string) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

func check(holds bool, what string) {
	if !holds {
		log.Fatal(what)
	}
}

func await(client *connect.Client, name, state string) {
	var seen *connect.ConnectorStatus
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		status, _, err := client.GetConnectorStatus(name)
		must(err, "status")
		seen = status
		if status.Connector.State == state && len(status.Tasks) == 1 && status.Tasks[0].State == state {
			return
		}
	}
	log.Fatalf("%s is not %s: %+v", name, state, seen)
}

func listed(client *connect.Client, name string) bool {
	names, _, err := client.ListConnectors()
	must(err, "list")
	for _, one := range names {
		if one == name {
			return true
		}
	}
	return false
}

func main() {
	name := os.Args[2]
	text, err := os.ReadFile(os.Args[3])
	must(err, "configuration")
	config := connect.ConnectorConfig{}
	must(json.Unmarshal(text, &config), "configuration")
	client := connect.NewClient(os.Args[1])

	made := &connect.Connector{Name: name, Config: config}
	_, err = client.CreateConnector(made)
	must(err, "create")
	await(client, name, "RUNNING")
	check(listed(client, name), "it is listed")
	got, _, err := client.GetConnectorConfig(name)
	must(err, "configuration")
	sent := connect.ConnectorConfig{"name": name}
	for key, value := range config {
		sent[key] = value
	}
	check(reflect.DeepEqual(got, sent), "the configuration is the one sent")
	tasks, _, err := client.GetConnectorTasks(name)
	must(err, "tasks")
	check(len(tasks) == 1, "it has a task")
	_, err = client.PauseConnector(name)
	must(err, "pause")
	await(client, name, "PAUSED")
	_, err = client.ResumeConnector(name)
	must(err, "resume")
	await(client, name, "RUNNING")
	sent["poll.interval.ms"] = "250"
	changed, _, err := client.UpdateConnectorConfig(name, sent)
	must(err, "update")
	check(changed.Config["poll.interval.ms"] == "250", "the new configuration")
	await(client, name, "RUNNING")
	_, err = client.RestartConnector(name)
	must(err, "restart")
	await(client, name, "RUNNING")
	_, err = client.DeleteConnector(name)
	must(err, "delete")
	check(!listed(client, name), "it is gone")
	_, _, err = client.GetConnector(name)
	failure, known := err.(connect.APIError)
	check(known && failure.Code == 404, "one that is not there is an error of the interface")
}
