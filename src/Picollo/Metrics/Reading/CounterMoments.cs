namespace Picollo.Metrics;

/// <summary>Total, sum, mean and population standard deviation of what a histogram counted, each value at its bucket's
/// midpoint.</summary>
internal readonly record struct CounterMoments(ulong Total, double Sum, double Mean, double StDev);
