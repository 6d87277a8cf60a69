using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Waits;

/// <summary>Finds the method that waited, and what it has called to wait, in the stack of a wait.</summary>
/// <remarks>The method is the innermost one of the application or of a library that is not part of .NET. The kind is the method of .NET
/// that it called, such as <c>SemaphoreSlim.Wait</c>. The compiler inlines small methods, so the name of an internal method is replaced by
/// that of the public one.</remarks>
internal sealed class WaitNames(IReadOnlyList<SampleTree.Node> stacks, CodeMap code)
{
    private const string CoreLib = "System.Private.CoreLib.dll";

    private static readonly HashSet<string> Own =
    [
        "Picollo.dll", "Picollo.AspNetCore.dll", "Picollo.Diagnostics.dll", "Picollo.Export.dll", "Picollo.Profiling.dll",
        "Picollo.Scheduling.dll",
    ];

    public (string Kind, string Method) Find(int node)
    {
        CpuProfileFrame? called = null, calledInCoreLib = null, outsideOfCoreLib = null;
        for (; node >= 0; node = stacks[node].Parent)
        {
            CpuProfileFrame frame = code.At(stacks[node].Address).Frame;
            if (frame.Kind != CpuProfileFrameKind.Managed)
            {
                continue; // a stub, or code that was unloaded
            }

            if (!IsLibrary(frame.Module))
            {
                return (KindOf(called), NameOf(frame.Name));
            }

            called = frame;
            (calledInCoreLib, outsideOfCoreLib) = frame.Module == CoreLib && outsideOfCoreLib is null
                ? (frame, null)
                : (calledInCoreLib, outsideOfCoreLib ?? frame);
        }

        // A thread of .NET itself.
        return (KindOf(calledInCoreLib), outsideOfCoreLib?.Name ?? "");
    }

    /// <summary>Returns the name of a method of the application. ASP.NET Core compiles a method for each route, into which the handler can
    /// be inlined with the methods that it calls; its own name says nothing.</summary>
    internal static string NameOf(string name) =>
        name.StartsWith("dynamicClass.lambda_method", StringComparison.Ordinal) ? WaitProfile.Handler : name;

    private static bool IsLibrary(string module) =>
        module.StartsWith("System.", StringComparison.Ordinal) || module.StartsWith("Microsoft.", StringComparison.Ordinal)
        || Own.Contains(module);

    private static string KindOf(CpuProfileFrame? called) => called is null ? "" : KindOf(called.Name);

    /// <summary>Returns the type and the method of a full name, without namespace and generic arguments.</summary>
    internal static string KindOf(string name)
    {
        var plain = new StringBuilder();
        int depth = 0;
        foreach (char next in name)
        {
            depth += next == '<' ? 1 : next == '>' ? -1 : 0;
            _ = depth == 0 && next != '>' ? plain.Append(next) : plain;
        }

        string[] parts = plain.ToString().Split('.');
        (string type, string method) = (parts.Length > 1 ? parts[^2] : "", parts[^1]);
        return (type, method) switch
        {
            ("Monitor", ['E', 'n', 't', 'e', 'r', ..]) => "Monitor.Enter",
            ("Lock", ['E', 'n', 't', 'e', 'r', ..] or "TryEnterSlow") => "Lock.Enter",
            ("Monitor" or "Lock", ['T', 'r', 'y', 'E', 'n', 't', 'e', 'r', ..]) => $"{type}.TryEnter",
            ("SemaphoreSlim" or "ManualResetEventSlim", _) => $"{type}.Wait",
            ("WaitHandle", "WaitOneNoCheck") => "WaitHandle.WaitOne",
            ("ReaderWriterLockSlim", ['T', 'r', 'y', .. string entered, 'C', 'o', 'r', 'e']) => $"{type}.{entered}",
            ("Task", ['W', 'a', 'i', 't', 'A', 'l', 'l', ..]) => "Task.WaitAll",
            ("Task", ['W', 'a', 'i', 't', 'A', 'n', 'y', ..]) => "Task.WaitAny",
            ("Task" or "TaskAwaiter" or "ConfiguredTaskAwaiter" or "ValueTask" or "ValueTaskAwaiter" or "ConfiguredValueTaskAwaiter", _) =>
                "Task.Wait",
            ("", _) => method,
            _ => $"{type}.{method}",
        };
    }
}
