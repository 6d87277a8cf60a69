using System.Net.Sockets;
using Picollo.Interop.Linux;

namespace Picollo.AspNetCore.Tests.Page;

public class LinuxSocketsTests
{
    private const uint OtherUser = 12_345;

    /// <summary>The address of the listener, whether it accepts both versions of IP, the address to which the client connects, and whether
    /// the client's socket is an IPv6 socket.</summary>
    public static TheoryData<string, bool, string, bool> Connections => new()
    {
        { "127.0.0.1", false, "127.0.0.1", false },
        { "127.0.0.1", false, "127.0.0.1", true },
        { "::", true, "127.0.0.1", false },
        { "::", true, "127.0.0.1", true },
        { "::", true, "::1", true },
        { "::1", false, "::1", true },
        { "127.0.0.7", false, "127.0.0.7", false },
    };

    [TheoryNeeding(Need.Linux)]
    [MemberData(nameof(Connections))]
    public void The_client_of_an_open_connection_has_a_user(string listen, bool both, string connect, bool isClientVersion6)
    {
        FindOwner(listen, both, connect, () => Open(isClientVersion6)).Should().Be((LibC.geteuid(), null));
        if (LibC.geteuid() == 0)
        {
            FindOwner(listen, both, connect, () => AsUser.Run(OtherUser, () => Open(isClientVersion6))).Owner.Should().Be(OtherUser);
        }
    }

    private static Socket Open(bool isVersion6) => isVersion6
        ? new(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp) { DualMode = true }
        : new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    private static (uint? Owner, uint? Afterwards) FindOwner(string listen, bool both, string connect, Func<Socket> open)
    {
        IPAddress address = IPAddress.Parse(listen);
        using Socket listener = new(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        if (both)
        {
            listener.DualMode = true;
        }

        listener.Bind(new IPEndPoint(address, 0));
        listener.Listen();
        using Socket client = open();
        client.Connect(IPAddress.Parse(connect), ((IPEndPoint)listener.LocalEndPoint!).Port);
        using Socket server = listener.Accept();
        var (clientEnd, serverEnd) = ((IPEndPoint)server.RemoteEndPoint!, (IPEndPoint)server.LocalEndPoint!);
        uint? owner = LinuxSockets.FindOwner(clientEnd, serverEnd);
        client.Dispose();
        return (owner, LinuxSockets.FindOwner(clientEnd, serverEnd));
    }
}
