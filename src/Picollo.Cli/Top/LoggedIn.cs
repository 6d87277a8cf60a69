using System.Buffers.Binary;

namespace Picollo.Cli.Top;

/// <summary>Who is logged in, by utmp(5).</summary>
internal static class LoggedIn
{
    private const string Utmp = "/run/utmp";
    private const int UserProcess = 7; // USER_PROCESS
    private const int UserOffset = 44; // ut_user, behind ut_type, ut_pid, ut_line and ut_id

    private static readonly int RecordLength =
        System.Runtime.InteropServices.RuntimeInformation.ProcessArchitecture == System.Runtime.InteropServices.Architecture.Arm64
            ? 400
            : 384;

    /// <summary>How often; null where the system keeps no such file, as more and more do.</summary>
    public static int? Count()
    {
        try
        {
            return OperatingSystem.IsLinux() && File.Exists(Utmp) ? CountIn(File.ReadAllBytes(Utmp), RecordLength) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Of the records of a file, those of users with a name.</summary>
    public static int CountIn(ReadOnlySpan<byte> utmp, int recordLength)
    {
        int count = 0;
        for (; utmp.Length >= recordLength; utmp = utmp[recordLength..])
        {
            count += BinaryPrimitives.ReadInt16LittleEndian(utmp) == UserProcess && utmp[UserOffset] != 0 ? 1 : 0;
        }

        return count;
    }
}
