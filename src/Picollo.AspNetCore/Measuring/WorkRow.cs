using System.Runtime.ExceptionServices;

namespace Picollo.AspNetCore.Measuring;

internal enum WorkResult
{
    Completed,
    Failed,

    /// <summary>An <see cref="OperationCanceledException"/> ended the run, which was not caused by a timeout.</summary>
    Canceled,
}

/// <summary>The row of named work. Thread-safe.</summary>
internal sealed class WorkRow(string name, PicolloRequestOptions options) : Row(name, options, method: null)
{
    private readonly long[] _results = new long[(int)WorkResult.Canceled + 1];

    public long this[WorkResult result] => Interlocked.Read(ref _results[(int)result]);

    public void Count(WorkResult result) => Interlocked.Increment(ref _results[(int)result]);
}

/// <summary>Detects that an exception is leaving a block whose <c>using</c> statement disposes an object.</summary>
/// <remarks>The runtime has no interface that returns the exception in this place. It reports only whether one is being handled, except
/// with Native AOT. Whether this exception is a cancellation is recorded when it is thrown: an exception that crosses an <c>await</c> is
/// thrown again on the thread that continues.</remarks>
internal static class LeavingException
{
    private static readonly bool IsAvailable = TryStart();

    [ThreadStatic]
    private static bool _isCancellation;

    /// <summary>Returns a value that identifies the exception that the current thread is handling; 0 if there is none.</summary>
    public static nint Current => IsAvailable ? Marshal.GetExceptionPointers() : 0;

    /// <param name="before">The value of <see cref="Current"/> at the start of the run, which may be part of the handling of an earlier
    /// exception.</param>
    public static WorkResult ResultSince(nint before) => Current is var now && (now == 0 || now == before) ? WorkResult.Completed
        : _isCancellation ? WorkResult.Canceled
        : WorkResult.Failed;

    public static WorkResult ResultOf(Exception failure) => IsCancellation(failure) ? WorkResult.Canceled : WorkResult.Failed;

    // HttpClient reports its timeout as a cancellation that contains a TimeoutException.
    private static bool IsCancellation(Exception failure) => failure is OperationCanceledException { InnerException: not TimeoutException };

    private static bool TryStart()
    {
        try
        {
            Marshal.GetExceptionPointers();
        }
        catch (PlatformNotSupportedException)
        {
            return false; // Native AOT
        }

        AppDomain.CurrentDomain.FirstChanceException += OnException;
        return true;
    }

    private static void OnException(object? sender, FirstChanceExceptionEventArgs e) => _isCancellation = IsCancellation(e.Exception);
}
