namespace Picollo.Cpu;

/// <summary>Why a thread's or process's time is not known: the same words on every system.</summary>
internal static class CpuTimeReasons
{
    public static string NoThread(long threadId) =>
        $"There is no thread {threadId} in this process: it may have ended, or this be its managed id "
        + "(CpuUsageReader.GetThreadId() tells the system's).";

    public static string ThreadEnded(long threadId) => $"Thread {threadId} has ended.";

    public static string NoProcess(int processId) => $"There is no process {processId}; it may have ended.";

    public static string ProcessEnded(int processId) => $"Process {processId} has ended.";

    public static string NotPermitted(int processId, string remedy) =>
        $"The system does not let this user read process {processId}'s times: {remedy}.";

    public static string CallFailed(string call, int error) => $"{call} failed with error {error}.";
}
