using Microsoft.CodeAnalysis;

namespace Picollo.Analyzers;

/// <summary>The rules, which <c>docs/analyzers.md</c> describes.</summary>
public static class Rules
{
    /// <summary>The result of a factory's <c>With…</c> method is discarded.</summary>
    public static readonly DiagnosticDescriptor DiscardedFactory = Rule(
        "PIC0001",
        "The result of a With… method is discarded",
        "'{0}' returns a new factory and does not change this one; assign the result or chain the call");

    /// <summary>A scope is discarded.</summary>
    public static readonly DiagnosticDescriptor DiscardedScope = Rule(
        "PIC0002",
        "A scope is discarded",
        "A {0} records when it is disposed; use a using statement or declaration");

    /// <summary>A scope is boxed. The code works, so the severity is only information.</summary>
    public static readonly DiagnosticDescriptor BoxedScope = Rule(
        "PIC0002",
        "A scope is boxed",
        "Converting the {0} to '{1}' allocates; keep its original type",
        DiagnosticSeverity.Info);

    /// <summary>A checkpoint is not awaited.</summary>
    public static readonly DiagnosticDescriptor CheckpointNotAwaited = Rule(
        "PIC0003",
        "A checkpoint is not awaited",
        "A checkpoint that is not awaited never yields; await it, or call Checkpoint() in code that is not async");

    /// <summary>A watcher is neither stopped nor read.</summary>
    public static readonly DiagnosticDescriptor UnusedWatcher = Rule(
        "PIC0004",
        "A watcher is neither stopped nor read",
        "This watcher is neither stopped nor read, and costs two clock reads at each switch of its flow; stop it or remove it");

    /// <summary>A running watcher leaves the async method that created it.</summary>
    public static readonly DiagnosticDescriptor EscapingWatcher = Rule(
        "PIC0004",
        "A watcher leaves the async method that created it",
        "A watcher that an async method creates does not measure the caller of the method; create it in the caller, "
        + "or call CpuUsageAsyncWatcher.MeasureAsync");

    private static DiagnosticDescriptor Rule(
        string id, string title, string message, DiagnosticSeverity severity = DiagnosticSeverity.Warning) =>
        new(id, title, message, "Usage", severity, isEnabledByDefault: true);
}
