namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Why the demo cannot go on.</summary>
public sealed class DriverException(string message) : Exception(message);
