// Applies each event of an outbox to a database exactly once. Kafka delivers at least once; the effect and the event's id
// are written in one transaction, and only then is the offset committed. A crash anywhere repeats records and applies
// nothing twice. The effect here: orders counted and summed per customer.
//
//   DATABASE_URL='Host=localhost;Username=billing;Database=billing' BOOTSTRAP_SERVERS=localhost:9092 dotnet run --project Consumer
using System;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Threading;
using Confluent.Kafka;
using Npgsql;

public static class Program
{
    private const string Inbox = "INSERT INTO inbox (consumer, message_id) VALUES (@consumer, @id) ON CONFLICT DO NOTHING";
    private const string Effect =
        "INSERT INTO customer_totals (customer, orders, total) VALUES (@customer, 1, @total) ON CONFLICT (customer) " +
        "DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total";

    private static string Setting(string name, string otherwise)
    {
        return Environment.GetEnvironmentVariable(name) ?? otherwise;
    }

    private static string Header(Message<string, string> message, string name)
    {
        byte[] value;
        return message.Headers.TryGetLastBytes(name, out value) && value != null ? Encoding.UTF8.GetString(value) : null;
    }

    private static void Handle(NpgsqlConnection database, string consumer, Message<string, string> message)
    {
        var id = Header(message, "id");
        if (message.Value == null || id == null)
        {
            return;
        }
        bool isNew;
        using (var transaction = database.BeginTransaction()) // rolled back unless it is committed
        {
            using (var inbox = new NpgsqlCommand(Inbox, database, transaction))
            {
                inbox.Parameters.AddWithValue("consumer", consumer);
                inbox.Parameters.AddWithValue("id", id);
                isNew = inbox.ExecuteNonQuery() == 1;
            }
            if (isNew && Header(message, "eventType") == "OrderPlaced")
            {
                Apply(database, transaction, message.Value);
            }
            transaction.Commit();
        }
        Console.WriteLine((isNew ? "applied " : "seen before ") + id);
    }

    private static void Apply(NpgsqlConnection database, NpgsqlTransaction transaction, string payload)
    {
        using (var order = JsonDocument.Parse(payload))
        using (var effect = new NpgsqlCommand(Effect, database, transaction))
        {
            var total = order.RootElement.GetProperty("total").GetString();
            effect.Parameters.AddWithValue("customer", order.RootElement.GetProperty("customer").GetString());
            effect.Parameters.AddWithValue("total", decimal.Parse(total, CultureInfo.InvariantCulture));
            effect.ExecuteNonQuery();
        }
    }

    public static void Main()
    {
        var group = Setting("GROUP", "billing");
        var config = new ConsumerConfig
        {
            BootstrapServers = Setting("BOOTSTRAP_SERVERS", "localhost:9092"),
            GroupId = group,
            EnableAutoCommit = false, // an offset is committed after the transaction, never before
            AutoOffsetReset = AutoOffsetReset.Earliest,
            IsolationLevel = IsolationLevel.ReadCommitted,
        };
        var stopping = new CancellationTokenSource();
        Console.CancelKeyPress += (sender, stop) => { stop.Cancel = true; stopping.Cancel(); };
        AppDomain.CurrentDomain.ProcessExit += (sender, stop) => stopping.Cancel(); // SIGTERM
        using (var database = new NpgsqlConnection(Setting("DATABASE_URL", "Host=localhost;Database=billing")))
        using (var kafka = new ConsumerBuilder<string, string>(config).Build())
        {
            database.Open();
            kafka.Subscribe(Setting("TOPIC", "outbox.event.Order"));
            while (!stopping.IsCancellationRequested)
            {
                try
                {
                    var record = kafka.Consume(stopping.Token);
                    Handle(database, group, record.Message);
                    kafka.Commit(record);
                }
                catch (ConsumeException failed) when (failed.Error.Code == ErrorCode.UnknownTopicOrPart)
                {
                    // until the first event there is no topic
                }
                catch (OperationCanceledException)
                {
                    break;
                }
            }
            kafka.Close();
        }
    }
}
