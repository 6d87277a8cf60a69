using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Threading.Channels;
using Microsoft.AspNetCore.SignalR;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Measures each method of SignalR hubs as named work. A method that returns a stream runs until the end of the stream.</summary>
internal sealed class HubMethodFilter(WorkMeter meter) : IHubFilter
{
    // Bounded by the number of hub methods.
    private readonly ConcurrentDictionary<MethodInfo, (string Name, Type? Stream)> _methods = new();

    public async ValueTask<object?> InvokeMethodAsync(
        HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        (string name, Type? stream) = _methods.GetOrAdd(
            invocationContext.HubMethod,
            static (method, hub) => ($"{hub.Name}.{method.Name}", MeasuredStream.TypeFor(method.ReturnType)),
            invocationContext.Hub.GetType());
        WorkMeter.WorkRun run = meter.Start(name);
        try
        {
            object? result = await next(invocationContext);
            if (stream is not null && result is not null && run.IsMeasured)
            {
                // The caller's flow does not contain the run, because this method returns.
                return MeasuredStream.Create(stream, result, run, invocationContext.Context.ConnectionAborted);
            }

            run.Complete();
            run.Dispose();
            return result;
        }
        catch (Exception failure)
        {
            run.Fail(failure);
            run.Dispose();
            throw;
        }
    }
}

/// <summary>Measures the enumeration of a stream that a hub method has returned. The run ends when the stream ends or is
/// abandoned.</summary>
/// <remarks>SignalR requires exactly the type that the method declares: <see cref="IAsyncEnumerable{T}"/>, or otherwise
/// <see cref="ChannelReader{T}"/>.</remarks>
internal static class MeasuredStream
{
    /// <summary>Returns the class for the streams of a hub method; null if the method does not return a stream, or if the class does not
    /// exist (for value types with Native AOT; the run then ends when the method returns).</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2055", Justification = "The classes have no requirements for the type of the items.")]
    [UnconditionalSuppressMessage("Trimming", "IL2065", Justification = "SignalR searches the same interfaces.")]
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "SignalR searches the same interfaces.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Classes for reference types share their code.")]
    public static Type? TypeFor(Type returnType)
    {
        Type result = returnType.IsGenericType && returnType.GetGenericTypeDefinition() is var task
            && (task == typeof(Task<>) || task == typeof(ValueTask<>)) ? returnType.GetGenericArguments()[0] : returnType;
        Type[] types = [result, .. result.GetInterfaces()];
        if (Array.Find(types, static type => IsA(type, typeof(IAsyncEnumerable<>))) is { } enumerable)
        {
            return Make(typeof(MeasuredEnumerable<>), enumerable.GetGenericArguments()[0]);
        }

        for (Type? type = result; type is not null; type = type.BaseType)
        {
            if (IsA(type, typeof(ChannelReader<>)))
            {
                return Make(typeof(MeasuredReader<>), type.GetGenericArguments()[0]);
            }
        }

        return null;

        static bool IsA(Type type, Type definition) => type.IsGenericType && type.GetGenericTypeDefinition() == definition;

        static Type? Make(Type definition, Type item) =>
            item.IsValueType && !RuntimeFeature.IsDynamicCodeSupported ? null : definition.MakeGenericType(item);
    }

    /// <summary>Wraps a stream with a type from <see cref="TypeFor"/>. Must be called in the flow of the run.</summary>
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(MeasuredEnumerable<>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(MeasuredReader<>))]
    [UnconditionalSuppressMessage("Trimming", "IL2067", Justification = "The attributes above keep the constructors.")]
    public static object Create(Type type, object stream, WorkMeter.WorkRun run, CancellationToken aborted) =>
        Activator.CreateInstance(type, stream, run, aborted)!;
}

/// <summary>Ends the run of a stream once: at its end, or when the connection ends, because SignalR then abandons a channel.</summary>
internal sealed class StreamRun
{
    private readonly WorkMeter.WorkRun _run;
    private readonly CancellationTokenRegistration _aborted;

    public StreamRun(WorkMeter.WorkRun run, CancellationToken aborted) => (_run, _aborted) =
        (run, aborted.UnsafeRegister(static run => ((WorkMeter.WorkRun)run!).End(WorkResult.Canceled), run));

    public void End(WorkResult result)
    {
        _run.End(result);
        _aborted.Unregister();
    }

    /// <summary>Awaits a step of the stream, and ends the run if the step is the last one or fails.</summary>
    public async ValueTask<bool> EndAfter(ValueTask<bool> step)
    {
        try
        {
            bool hasNext = await step.ConfigureAwait(false);
            if (!hasNext)
            {
                End(WorkResult.Completed);
            }

            return hasNext;
        }
        catch (Exception failure)
        {
            End(LeavingException.ResultOf(failure));
            throw;
        }
    }
}

/// <summary>A measured <see cref="IAsyncEnumerable{T}"/>. Its code runs in the flow of the run, wherever it is enumerated.</summary>
internal sealed class MeasuredEnumerable<T>(IAsyncEnumerable<T> stream, WorkMeter.WorkRun run, CancellationToken aborted)
    : IAsyncEnumerable<T>, IAsyncEnumerator<T>
{
    private readonly StreamRun _run = new(run, aborted);
    private readonly ExecutionContext? _flow = ExecutionContext.Capture();
    private IAsyncEnumerator<T> _items = null!;

    public T Current => _items.Current;

    // SignalR enumerates a stream once.
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        try
        {
            _items = InFlow((stream, cancellationToken), static source => source.stream.GetAsyncEnumerator(source.cancellationToken));
            return this;
        }
        catch (Exception failure)
        {
            _run.End(LeavingException.ResultOf(failure));
            throw;
        }
    }

    public ValueTask<bool> MoveNextAsync() => _run.EndAfter(InFlow(_items, MoveNextAsync));

    public async ValueTask DisposeAsync()
    {
        try
        {
            await InFlow(_items, static items => items.DisposeAsync());
        }
        finally
        {
            _run.End(WorkResult.Canceled); // unless it has ended before
        }
    }

    // Async, so that it does not throw.
    private static async ValueTask<bool> MoveNextAsync(IAsyncEnumerator<T> items) => await items.MoveNextAsync().ConfigureAwait(false);

    private TResult InFlow<TSource, TResult>(TSource source, Func<TSource, TResult> call)
    {
        if (_flow is null)
        {
            return call(source);
        }

        TResult result = default!;
        ExecutionContext.Run(_flow, _ => result = call(source), null);
        return result;
    }
}

/// <summary>A measured <see cref="ChannelReader{T}"/>. The method has started the code that writes to the channel, in the flow of the
/// run.</summary>
internal sealed class MeasuredReader<T>(ChannelReader<T> channel, WorkMeter.WorkRun run, CancellationToken aborted) : ChannelReader<T>
{
    private readonly StreamRun _run = new(run, aborted);

    public override Task Completion => channel.Completion;

    public override bool CanCount => channel.CanCount;

    public override bool CanPeek => channel.CanPeek;

    public override int Count => channel.Count;

    public override bool TryPeek([MaybeNullWhen(false)] out T item) => channel.TryPeek(out item);

    public override bool TryRead([MaybeNullWhen(false)] out T item) => channel.TryRead(out item);

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default) =>
        _run.EndAfter(channel.WaitToReadAsync(cancellationToken));
}
