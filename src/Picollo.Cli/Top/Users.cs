using System.Buffers.Binary;
using System.Runtime.InteropServices.Marshalling;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Top;

/// <summary>Looks up the names of users (getpwuid_r(3)), each once, and counts logins (utmp(5)).</summary>
internal sealed unsafe class Users
{
    private const int PasswdLength = 128; // struct passwd has 48 to 80 bytes
    private const int MaxBufferSize = 1 << 20;

    private const string Utmp = "/run/utmp";
    private const int UserProcess = 7; // USER_PROCESS
    private const int UserOffset = 44; // ut_user, after ut_type, ut_pid, ut_line and ut_id

    private static readonly int RecordLength = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 400 : 384;

    private readonly Dictionary<uint, string> _names = [];

    private delegate int Lookup(byte* passwd, byte* buffer, nuint length, byte** found);

    public string NameOf(uint user)
    {
        if (!_names.TryGetValue(user, out string? name))
        {
            uint id = user; // a copy for the closure, so that the lookup of a known user does not allocate
            name = LookUp((passwd, buffer, length, result) => LibC.getpwuid_r(id, passwd, buffer, length, result))?.Name
                ?? user.ToString(CultureInfo.InvariantCulture);
            _names.Add(user, name);
        }

        return name;
    }

    public static bool TryFind(string user, out uint id)
    {
        (string Name, uint Id)? found = LookUp((passwd, buffer, length, result) => LibC.getpwnam_r(user, passwd, buffer, length, result));
        id = found?.Id ?? 0;
        return found is not null || uint.TryParse(user, NumberStyles.None, CultureInfo.InvariantCulture, out id);
    }

    /// <summary>Returns the number of logins; null if the utmp file does not exist, as on many recent systems.</summary>
    public static int? CountLogins() =>
        OperatingSystem.IsLinux() && File.Exists(Utmp) && InputFile.TryRead(Utmp) is { } logins
            ? CountLoginsIn(logins, RecordLength)
            : null;

    public static int CountLoginsIn(ReadOnlySpan<byte> utmp, int recordLength)
    {
        int count = 0;
        for (; utmp.Length >= recordLength; utmp = utmp[recordLength..])
        {
            count += BinaryPrimitives.ReadInt16LittleEndian(utmp) == UserProcess && utmp[UserOffset] != 0 ? 1 : 0;
        }

        return count;
    }

    private static (string Name, uint Id)? LookUp(Lookup lookup)
    {
        byte* passwd = stackalloc byte[PasswdLength];
        int result = OperatingSystem.IsLinux() ? Errno.ERANGE : 0;
        for (int length = 1024; result == Errno.ERANGE && length <= MaxBufferSize; length *= 4)
        {
            fixed (byte* buffer = new byte[length])
            {
                byte* found = null;
                result = lookup(passwd, buffer, (nuint)length, &found);
                if (result == 0 && found is not null)
                {
                    // pw_name, pw_passwd, pw_uid
                    return (Utf8StringMarshaller.ConvertToManaged(*(byte**)passwd) ?? "", *(uint*)(passwd + (2 * sizeof(nint))));
                }
            }
        }

        return null;
    }
}
