namespace Picollo.Scheduling;

/// <content>The pool that all code of a process shares.</content>
public sealed partial class CpuWorkerPool
{
    /// <summary>The name, which fits into Linux's limit of 15 characters for the name of a thread together with the thread's
    /// number.</summary>
    private const string SharedName = "Shared worker";

    private static CpuWorkerPool? _shared;
    private static object? _sharedLock;

    private readonly bool _isShared;

    private CpuWorkerPool(bool isShared)
        : this(new CpuWorkerPoolOptions { Name = SharedName }) => _isShared = isShared;

    /// <summary>The pool that all code in the process shares, with default options and the name "Shared worker".</summary>
    /// <remarks>
    /// <para>The first use creates the pool and starts its threads. They are background threads, so they do not keep the process
    /// running.</para>
    /// <para>The pool lasts as long as the process, because other code may use it. <see cref="Dispose"/> and <see cref="DisposeAsync"/>
    /// therefore have no effect, as with <c>MemoryPool&lt;T&gt;.Shared</c>, and <see cref="DrainAsync"/> throws
    /// <see cref="InvalidOperationException"/>. Create a pool if you need other options or must wait for all tasks.</para>
    /// <para>All code in the process shares its workers and its <see cref="Statistics"/>. Libraries should take a pool from their
    /// callers.</para>
    /// </remarks>
    /// <exception cref="MeasurementUnavailableException">This system does not report a thread's CPU time.</exception>
    public static CpuWorkerPool Shared =>
        // Unlike Lazy<T> and the initializer of a static field, this tries again after an exception.
        LazyInitializer.EnsureInitialized(ref _shared, ref _sharedLock, static () => new CpuWorkerPool(isShared: true));
}
