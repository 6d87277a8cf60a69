using System.Net;
using System.Net.Sockets;

namespace Picollo.AspNetCore.Page;

/// <summary>Reads the owner of a socket from the tables of this network namespace.</summary>
internal static class LinuxSockets
{
    // Unlike /proc/net, these files also exist in a /proc that was mounted with subset=pid.
    private const string Tcp = "/proc/self/net/tcp";
    private const string Tcp6 = "/proc/self/net/tcp6";

    /// <summary>Returns the ID of the user that owns the client's end of a connection. Returns null if the client is not in this network
    /// namespace, or if the tables cannot be read.</summary>
    /// <param name="client">The address of the client.</param>
    /// <param name="server">The address of the server.</param>
    public static uint? FindOwner(IPEndPoint client, IPEndPoint server)
    {
        // The two ends of an IPv4 connection can be in different tables. IPv6 sockets have mapped addresses (::ffff:127.0.0.1).
        bool isVersion4 = IsVersion4(client.Address);
        return (isVersion4 ? FindOwner(Tcp, client, server, address => address.MapToIPv4()) : null)
            ?? FindOwner(Tcp6, client, server, address => address.MapToIPv6());
    }

    private static bool IsVersion4(IPAddress address) => address.AddressFamily == AddressFamily.InterNetwork || address.IsIPv4MappedToIPv6;

    private static uint? FindOwner(string table, IPEndPoint client, IPEndPoint server, Func<IPAddress, IPAddress> convert)
    {
        try
        {
            using FileStream stream = new(table, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
            return ProcNetTcp.FindOwner(stream, new(convert(client.Address), client.Port), new(convert(server.Address), server.Port));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
