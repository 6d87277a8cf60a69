namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>An error that ends the demo.</summary>
public sealed class DriverException(string message) : Exception(message);
