namespace Picollo.Interop.Windows;

/// <summary>The functions of ntdll.dll that Windows Task Manager uses.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class NtDll
{
    // SYSTEM_INFORMATION_CLASS of winternl.h
    public const int SystemProcessInformation = 5;
    public const int SystemProcessorPerformanceInformation = 8;

    // ntstatus.h
    public const int STATUS_INFO_LENGTH_MISMATCH = unchecked((int)0xC0000004);

    private const string Library = "ntdll";

    [LibraryImport(Library)]
    public static partial int NtQuerySystemInformation(int information, void* buffer, int size, int* needed);

    [LibraryImport(Library)]
    public static partial int NtQuerySystemInformationEx(
        int information, ushort* group, int groupSize, void* buffer, int size, int* needed);
}
