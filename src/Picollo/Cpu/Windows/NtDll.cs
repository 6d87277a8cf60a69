using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Picollo.Cpu.Windows;

/// <summary>The call behind Windows' own task manager, and the two that it needs beside it.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class NtDll
{
    // SYSTEM_INFORMATION_CLASS of winternl.h
    public const int SystemProcessInformation = 5;
    public const int SystemProcessorPerformanceInformation = 8;

    // ntstatus.h
    public const int LengthMismatch = unchecked((int)0xC0000004);

    [LibraryImport("ntdll")]
    public static partial int NtQuerySystemInformation(int information, void* buffer, int size, int* needed);

    /// <summary>The same of one processor group.</summary>
    [LibraryImport("ntdll")]
    public static partial int NtQuerySystemInformationEx(
        int information, ushort* group, int groupSize, void* buffer, int size, int* needed);

    [LibraryImport("kernel32")]
    public static partial ushort GetActiveProcessorGroupCount();
}
