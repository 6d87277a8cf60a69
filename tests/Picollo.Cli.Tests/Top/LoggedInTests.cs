using System.Buffers.Binary;
using Picollo.Cli.Top;

namespace Picollo.Cli.Tests.Top;

/// <summary>Who is logged in, and what users are called.</summary>
public class LoggedInTests
{
    private const int RecordLength = 384;

    [Fact]
    public void Records_of_users_with_a_name_are_counted()
    {
        byte[] utmp = [.. Record(2, "reboot"), .. Record(7, "ann"), .. Record(8, "ended"), .. Record(7, ""), .. Record(7, "bob"), .. Record(7, "cut").Take(100)];

        LoggedIn.CountIn(utmp, RecordLength).Should().Be(2);
        LoggedIn.CountIn([], RecordLength).Should().Be(0);
    }

    [LinuxFact]
    public void Users_are_found_by_name_and_number_and_named()
    {
        UserNames.TryFind("root", out uint root).Should().BeTrue();
        UserNames.TryFind("4000000000", out uint nameless).Should().BeTrue();
        UserNames.TryFind("no such user", out _).Should().BeFalse();
        UserNames.TryFind("", out _).Should().BeFalse();
        UserNames.TryFind("-1", out _).Should().BeFalse();

        UserNames names = new();
        (root, names.Of(root), names.Of(root)).Should().Be((0u, "root", "root"));
        names.Of(nameless).Should().Be("4000000000");
    }

    private static byte[] Record(short type, string user)
    {
        byte[] record = new byte[RecordLength];
        BinaryPrimitives.WriteInt16LittleEndian(record, type);
        System.Text.Encoding.UTF8.GetBytes(user, record.AsSpan(44));
        return record;
    }
}
