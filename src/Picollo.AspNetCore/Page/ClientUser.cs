using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections.Features;
using Picollo.Interop.Linux;

namespace Picollo.AspNetCore.Page;

/// <summary>Checks whether the user that runs the server also sent a request.</summary>
/// <remarks>
/// <para>On Linux, the kernel reports the user that owns the client's socket. It is the user that opened the connection, and no request can
/// change it. Other systems are not supported: their clients need the token.</para>
/// <para>Only the same user passes. Root does not pass if the server runs as another user, because proxies often run as root. The opposite
/// remains: if the server runs as root, so may a proxy. HTTP/3 does not pass either, because the ports of UDP are independent of those of
/// TCP, and its sockets are often not connected.</para>
/// <para>To read a table takes time in proportion to the number of sockets in the network namespace. The owner is therefore stored with the
/// connection, and one table is read at a time, so that many connections cannot use more than one processor for this.</para>
/// </remarks>
internal sealed class ClientUser
{
    // DEFAULT_OVERFLOWUID (include/linux/highuid.h): in a user namespace, all users that it does not contain have this ID.
    private const uint UnknownUser = 65_534;

    private static readonly SemaphoreSlim Reading = new(1, 1);

    private readonly ConditionalWeakTable<Socket, object> _owners = [];

    /// <summary>Returns whether this user owns the client's end of the connection.</summary>
    public async ValueTask<bool> IsServerUserAsync(HttpContext context)
    {
        // The addresses of the socket, because middleware can replace those of the context with addresses that the client chose.
        if (!OperatingSystem.IsLinux() || context.Features.Get<IConnectionSocketFeature>()?.Socket is not { } socket)
        {
            return false;
        }

        if (!_owners.TryGetValue(socket, out object? owner))
        {
            await Reading.WaitAsync(context.RequestAborted);
            try
            {
                owner = Find(socket);
            }
            finally
            {
                Reading.Release();
            }
        }

        return owner is uint user && user == LibC.geteuid() && user != UnknownUser;
    }

    private object? Find(Socket socket)
    {
        try
        {
            // Another request of the connection may have found the owner in the meantime.
            if (!_owners.TryGetValue(socket, out object? owner)
                && socket is { ProtocolType: ProtocolType.Tcp, RemoteEndPoint: IPEndPoint client, LocalEndPoint: IPEndPoint server })
            {
                owner = LinuxSockets.FindOwner(client, server);
                if (owner is not null)
                {
                    _owners.Add(socket, owner);
                }
            }

            return owner;
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            return null; // the client has disconnected
        }
    }
}

/// <summary>Reads the owner of a socket from the tables of this network namespace.</summary>
internal static class LinuxSockets
{
    // Unlike /proc/net, these files also exist in a /proc that was mounted with subset=pid.
    private const string Tcp = "/proc/self/net/tcp";
    private const string Tcp6 = "/proc/self/net/tcp6";

    /// <summary>Returns the ID of the user that owns the client's end of a connection. Returns null if the client is not in this network
    /// namespace, or if the tables cannot be read.</summary>
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
