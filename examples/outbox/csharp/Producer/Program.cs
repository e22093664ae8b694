// Places an order: the order's row and its event in one transaction, so that both are there or neither.
//
//   DATABASE_URL='Host=localhost;Username=shop;Database=shop' dotnet run --project Producer c7 99.90
using System;
using System.Globalization;
using System.Text.Json;
using Npgsql;
using NpgsqlTypes;

public static class Program
{
    private const string Order = "INSERT INTO orders (customer, total) VALUES (@customer, @total) RETURNING id";
    private const string Event =
        "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', @order, 'OrderPlaced', @payload)";

    private static long PlaceOrder(NpgsqlConnection database, string customer, decimal total)
    {
        using (var transaction = database.BeginTransaction()) // rolled back unless it is committed
        using (var order = new NpgsqlCommand(Order, database, transaction))
        using (var placed = new NpgsqlCommand(Event, database, transaction))
        {
            order.Parameters.AddWithValue("customer", customer);
            order.Parameters.AddWithValue("total", total);
            var id = (long)order.ExecuteScalar();
            // The total as text: JSON has no decimals.
            var payload = JsonSerializer.Serialize(
                new { orderId = id, customer, total = total.ToString(CultureInfo.InvariantCulture) });
            placed.Parameters.AddWithValue("order", id.ToString(CultureInfo.InvariantCulture));
            placed.Parameters.AddWithValue("payload", NpgsqlDbType.Jsonb, payload);
            placed.ExecuteNonQuery();
            transaction.Commit();
            return id;
        }
    }

    public static int Main(string[] arguments)
    {
        if (arguments.Length != 2)
        {
            Console.Error.WriteLine("usage: Producer CUSTOMER TOTAL");
            return 2;
        }
        var address = Environment.GetEnvironmentVariable("DATABASE_URL") ?? "Host=localhost;Database=shop";
        using (var database = new NpgsqlConnection(address))
        {
            database.Open();
            var total = decimal.Parse(arguments[1], CultureInfo.InvariantCulture);
            Console.WriteLine("placed " + PlaceOrder(database, arguments[0], total));
        }
        return 0;
    }
}
