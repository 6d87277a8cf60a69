namespace Picollo.Cpu;

/// <summary>How many threads there are, and how many want a CPU, at the moment of a sample.</summary>
/// <param name="Running">Threads on a CPU or waiting for one, the one that reads this included; null where not known.</param>
/// <param name="Blocked">Threads that wait for a disk; null where not known.</param>
/// <param name="Total">All threads; null where not known.</param>
/// <remarks>Source on Linux: procs_running and procs_blocked of /proc/stat (threads, for all their names say), and the fourth
/// field of /proc/loadavg. Windows tells running and all; macOS nothing of the kind.</remarks>
public readonly record struct RunQueueState(int? Running, int? Blocked, int? Total);
