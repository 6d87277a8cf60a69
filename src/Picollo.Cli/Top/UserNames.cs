using System.Globalization;
using System.Runtime.InteropServices.Marshalling;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Top;

/// <summary>Names of users, asked of the system once each (getpwuid_r(3)).</summary>
internal sealed unsafe class UserNames
{
    private const int PasswdLength = 128; // struct passwd has 48 to 80 bytes
    private const int LargestBuffer = 1 << 20;

    private readonly Dictionary<uint, string> _names = [];

    private delegate int Lookup(byte* passwd, byte* buffer, nuint length, byte** found);

    /// <summary>The name, or the number where it has none.</summary>
    public string Of(uint user)
    {
        if (!_names.TryGetValue(user, out string? name))
        {
            name = Find(user) ?? user.ToString(CultureInfo.InvariantCulture);
            _names.Add(user, name);
        }

        return name;
    }

    /// <summary>The user of a name or a number.</summary>
    public static bool TryFind(string user, out uint id)
    {
        uint found = 0;
        bool isName = OperatingSystem.IsLinux()
            && TryLookUp(
                (passwd, buffer, length, result) => LibC.getpwnam_r(user, passwd, buffer, length, result),
                passwd => found = IdOf(passwd));
        id = found;
        return isName || uint.TryParse(user, NumberStyles.None, CultureInfo.InvariantCulture, out id);
    }

    private static string? Find(uint user)
    {
        string? name = null;
        _ = OperatingSystem.IsLinux()
            && TryLookUp(
                (passwd, buffer, length, result) => LibC.getpwuid_r(user, passwd, buffer, length, result),
                passwd => name = NameOf(passwd));
        return name;
    }

    // pw_name is the first of its members everywhere, on Linux pw_uid comes behind it and pw_passwd.
    private static string NameOf(nint passwd) => Utf8StringMarshaller.ConvertToManaged(*(byte**)passwd) ?? "";

    private static uint IdOf(nint passwd) => *(uint*)(passwd + (2 * sizeof(nint)));

    private static bool TryLookUp(Lookup lookup, Action<nint> take)
    {
        byte* passwd = stackalloc byte[PasswdLength];
        int result = Errno.ERANGE;
        for (int length = 1024; result == Errno.ERANGE && length <= LargestBuffer; length *= 4)
        {
            fixed (byte* buffer = new byte[length])
            {
                byte* found = null;
                result = lookup(passwd, buffer, (nuint)length, &found);
                if (result == 0 && found is not null)
                {
                    take((nint)found);
                    return true;
                }
            }
        }

        return false;
    }
}
