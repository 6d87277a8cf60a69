using System.Buffers.Binary;
using Picollo.Cli.Top;

namespace Picollo.Cli.Tests.Top;

/// <summary>Logins and names of users.</summary>
public class UsersTests
{
    private const int RecordLength = 384;

    [Fact]
    public void Records_of_named_users_are_counted()
    {
        byte[] utmp = [.. Record(2, "reboot"), .. Record(7, "ann"), .. Record(8, "ended"), .. Record(7, ""), .. Record(7, "bob"), .. Record(7, "cut").Take(100)];

        Users.CountLoginsIn(utmp, RecordLength).Should().Be(2);
        Users.CountLoginsIn([], RecordLength).Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void Users_are_found_by_name_and_ID()
    {
        Users.TryFind("root", out uint root).Should().BeTrue();
        Users.TryFind("4000000000", out uint nameless).Should().BeTrue();
        Users.TryFind("no such user", out _).Should().BeFalse();
        Users.TryFind("", out _).Should().BeFalse();
        Users.TryFind("-1", out _).Should().BeFalse();

        Users names = new();
        (root, names.NameOf(root), names.NameOf(root)).Should().Be((0u, "root", "root"));
        names.NameOf(nameless).Should().Be("4000000000");
    }

    private static byte[] Record(short type, string user)
    {
        byte[] record = new byte[RecordLength];
        BinaryPrimitives.WriteInt16LittleEndian(record, type);
        System.Text.Encoding.UTF8.GetBytes(user, record.AsSpan(44));
        return record;
    }
}
