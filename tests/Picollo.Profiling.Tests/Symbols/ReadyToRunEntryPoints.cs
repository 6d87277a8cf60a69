using System.Diagnostics.Tracing;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Picollo.Profiling.Tests.Symbols;

/// <summary>The ReadyToRun methods that the runtime looks up in this process, according to its events.</summary>
internal sealed class ReadyToRunEntryPoints : EventListener
{
    private const EventKeywords CompilationDiagnostic = (EventKeywords)0x20_0000_0000;
    private const int GetEntryPoint = 159;

    // Methods that have no such code have the address 0.
    private readonly List<(ulong Address, string Name)> _found = [];

    /// <summary>Returns the methods that the runtime finds while <paramref name="work"/> runs. Their names do not have the arguments of
    /// generic methods.</summary>
    public static IReadOnlyList<(ulong Address, string Name)> During(Action work)
    {
        using var listener = new ReadyToRunEntryPoints();
        work();
        // Events arrive later, in order. Nothing else in this process uses this method.
        RuntimeHelpers.PrepareMethod(typeof(System.Numerics.Plane).GetMethod("DotNormal")!.MethodHandle);
        SpinWait.SpinUntil(() => listener.Contains("System.Numerics.Plane::DotNormal"), TimeSpan.FromMinutes(1))
            .Should().BeTrue("events arrive within a minute");
        lock (listener._found)
        {
            return [.. listener._found.Where(method => method.Address != 0)];
        }
    }

    /// <summary>Compiles or looks up the methods of types, generic ones for <see cref="string"/> and <see cref="int"/>.</summary>
    public static void Prepare(IEnumerable<Type> types)
    {
        const BindingFlags declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;
        foreach (MethodBase method in types.SelectMany(type => type.GetMethods(declared).Concat<MethodBase>(type.GetConstructors(declared))))
        {
            int count = method.DeclaringType!.GetGenericArguments().Length + (method.IsGenericMethod ? method.GetGenericArguments().Length : 0);
            foreach (Type argument in count == 0 ? [typeof(string)] : (Type[])[typeof(string), typeof(int)])
            {
                try
                {
                    RuntimeHelpers.PrepareMethod(method.MethodHandle, [.. Enumerable.Repeat(argument.TypeHandle, count)]);
                }
                catch (Exception)
                {
                    // Abstract methods, constraints, and types and methods that this platform does not support.
                }
            }
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "Microsoft-Windows-DotNETRuntime")
        {
            EnableEvents(eventSource, EventLevel.Verbose, CompilationDiagnostic);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData is { EventId: GetEntryPoint, Payload: [_, string type, string method, _, ulong address, ..] })
        {
            lock (_found)
            {
                _found.Add((address, $"{type}::{method}"));
            }
        }
    }

    private bool Contains(string name)
    {
        lock (_found)
        {
            return _found.Exists(method => method.Name == name);
        }
    }
}
