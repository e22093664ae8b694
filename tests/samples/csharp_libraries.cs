// What examples/outbox/csharp uses of Npgsql 9, Confluent.Kafka 2 and System.Text.Json, declared as they declare it, for a compiler
// that has none of them.
using System;
using System.Threading;

namespace NpgsqlTypes
{
    public enum NpgsqlDbType { Jsonb = 36 }
}

namespace Npgsql
{
    public sealed class NpgsqlConnection : IDisposable
    {
        public NpgsqlConnection(string connectionString) { }
        public void Open() { }
        public NpgsqlTransaction BeginTransaction() { return null; }
        public void Dispose() { }
    }

    public sealed class NpgsqlTransaction : IDisposable
    {
        public void Commit() { }
        public void Dispose() { }
    }

    public sealed class NpgsqlParameter { }

    public sealed class NpgsqlParameterCollection
    {
        public NpgsqlParameter AddWithValue(string parameterName, object value) { return null; }
        public NpgsqlParameter AddWithValue(string parameterName, NpgsqlTypes.NpgsqlDbType parameterType, object value) { return null; }
    }

    public class NpgsqlCommand : IDisposable
    {
        public NpgsqlCommand(string cmdText, NpgsqlConnection connection, NpgsqlTransaction transaction) { }
        public NpgsqlParameterCollection Parameters { get { return null; } }
        public int ExecuteNonQuery() { return 0; }
        public object ExecuteScalar() { return null; }
        public void Dispose() { }
    }
}

namespace System.Text.Json
{
    public static class JsonSerializer
    {
        public static string Serialize<TValue>(TValue value) { return null; }
    }

    public sealed class JsonDocument : IDisposable
    {
        public static JsonDocument Parse(string json) { return null; }
        public JsonElement RootElement { get { return default(JsonElement); } }
        public void Dispose() { }
    }

    public struct JsonElement
    {
        public JsonElement GetProperty(string propertyName) { return this; }
        public string GetString() { return null; }
    }
}

namespace Confluent.Kafka
{
    public enum AutoOffsetReset { Latest, Earliest, Error }

    public enum IsolationLevel { ReadUncommitted, ReadCommitted }

    public enum ErrorCode { UnknownTopicOrPart = 3 }

    public class Error
    {
        public ErrorCode Code { get { return ErrorCode.UnknownTopicOrPart; } }
    }

    public class KafkaException : Exception
    {
        public Error Error { get { return null; } }
    }

    public class ConsumeException : KafkaException { }

    public class ConsumerConfig
    {
        public string BootstrapServers { get; set; }
        public string GroupId { get; set; }
        public bool? EnableAutoCommit { get; set; }
        public AutoOffsetReset? AutoOffsetReset { get; set; }
        public IsolationLevel? IsolationLevel { get; set; }
    }

    public class Headers
    {
        public bool TryGetLastBytes(string key, out byte[] lastHeader) { lastHeader = null; return false; }
    }

    public class Message<TKey, TValue>
    {
        public TKey Key { get; set; }
        public TValue Value { get; set; }
        public Headers Headers { get; set; }
    }

    public class ConsumeResult<TKey, TValue>
    {
        public Message<TKey, TValue> Message { get; set; }
    }

    public interface IConsumer<TKey, TValue> : IDisposable
    {
        void Subscribe(string topic);
        ConsumeResult<TKey, TValue> Consume(CancellationToken cancellationToken);
        void Commit(ConsumeResult<TKey, TValue> result);
        void Close();
    }

    public class ConsumerBuilder<TKey, TValue>
    {
        public ConsumerBuilder(ConsumerConfig config) { }
        public virtual IConsumer<TKey, TValue> Build() { return null; }
    }
}
