namespace Picollo.Export;

/// <summary>Decides whether and when a request is sent again. Times are measured from the start of the exporter.</summary>
internal static class OtlpRetry
{
    /// <summary>The longest wait that a receiver can request.</summary>
    public static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(10);

    private const double FirstBackoffSeconds = 1;
    private const double LongestBackoffSeconds = 30;

    /// <summary>Decides what follows a request.</summary>
    /// <param name="result">The result of the request.</param>
    /// <param name="attempt">The number of times that the request was sent, at least 1.</param>
    /// <param name="now">The present time.</param>
    /// <param name="deadline">The time when the export ends.</param>
    /// <param name="random">A random number from 0 to 1. It prevents that the processes of a fleet retry at the same time.</param>
    /// <returns>The time before which the receiver gets no request, and whether the export stops. If it does not stop, that time is after
    /// <paramref name="now"/> and before <paramref name="deadline"/>.</returns>
    public static (TimeSpan NotBefore, bool Stops) After(OtlpResult result, int attempt, TimeSpan now, TimeSpan deadline, double random)
    {
        double nominal = Math.Min(Math.ScaleB(FirstBackoffSeconds, attempt - 1), LongestBackoffSeconds);
        TimeSpan backoff = TimeSpan.FromSeconds(nominal * (0.8 + (0.4 * random)));

        // The receiver may request less than the backoff, or even a time in the past.
        TimeSpan wait = result.RetryAfter is not { } pause || pause < backoff ? backoff : pause < LongestPause ? pause : LongestPause;
        TimeSpan notBefore = now < TimeSpan.MaxValue - wait ? now + wait : TimeSpan.MaxValue;
        return (notBefore, !result.MayRetry || notBefore >= deadline);
    }
}
