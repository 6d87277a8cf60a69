using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Picollo.AspNetCore.Tests;

/// <summary>Keeps log lines.</summary>
internal sealed class LogSink : ILoggerProvider
{
    private readonly ConcurrentQueue<LogLine> _lines = new();

    /// <summary>A callback for each line before it is kept. Its exceptions propagate to the code that logs.</summary>
    public Action<LogLine> OnLine { get; set; } = _ => { };

    /// <summary>The lines of Picollo's categories: level, event and text.</summary>
    public IEnumerable<string> Lines => _lines.Where(line => line.Category.StartsWith("Picollo", StringComparison.Ordinal))
        .Select(line => $"{line.Level} {line.Event.Name}: {line.Text}");

    public IEnumerable<LogLine> Of(string category) => _lines.Where(line => line.Category == category);

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void Dispose()
    {
    }

    private sealed class Logger(LogSink sink, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            var values = state as IEnumerable<KeyValuePair<string, object?>> ?? [];
            LogLine line = new(category, logLevel, eventId, formatter(state, exception), values.ToDictionary());
            sink.OnLine(line);
            sink._lines.Enqueue(line);
        }
    }
}

internal sealed record LogLine(string Category, LogLevel Level, EventId Event, string Text, IReadOnlyDictionary<string, object?> Values);
