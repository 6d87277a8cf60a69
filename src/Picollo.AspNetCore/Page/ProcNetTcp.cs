using System.Net;
using Picollo.Cpu.Linux;

namespace Picollo.AspNetCore.Page;

/// <summary>Searches the tables /proc/net/tcp and /proc/net/tcp6 (Documentation/networking/proc_net_tcp.rst of the kernel).</summary>
internal static class ProcNetTcp
{
    // A line has 150 bytes in tcp, and at most 250 in tcp6. The kernel returns at most a page for each read.
    internal const int BufferBytes = 16 << 10;

    // TCP_ESTABLISHED (include/net/tcp_states.h). A socket in another state may have lost its owner: the kernel then prints user 0.
    private const string Established = "01";

    /// <summary>Returns the ID of the user that owns the local end of an established connection; null if the table does not contain it. The
    /// table is tcp6 for IPv6 addresses, otherwise tcp. It is read to the line of the connection, in constant memory.</summary>
    public static uint? FindOwner(Stream table, IPEndPoint local, IPEndPoint remote)
    {
        // Searching for the text of the fields is faster than parsing each line: a table can have 100,000 lines.
        byte[] fields = Encoding.ASCII.GetBytes($": {Format(local)} {Format(remote)} {Established} ");
        byte[] buffer = new byte[BufferBytes];
        int length = 0;
        while (table.Read(buffer, length, buffer.Length - length) is > 0 and int read)
        {
            length += read;
            int end = buffer.AsSpan(0, length).LastIndexOf((byte)'\n') + 1;
            int start = buffer.AsSpan(0, end).IndexOf(fields);
            if (start >= 0)
            {
                return ParseOwner(buffer.AsSpan((start + fields.Length)..end));
            }

            // Keeps the incomplete line. A line that fills the buffer does not come from the kernel.
            end = end == 0 && length == buffer.Length ? length : end;
            buffer.AsSpan(end..length).CopyTo(buffer);
            length -= end;
        }

        return null;
    }

    // After the state come the lengths of the queues, the timer, the retransmits and the user.
    private static uint? ParseOwner(ReadOnlySpan<byte> text)
    {
        TextFields fields = new(text);
        return fields.Skip(3) && fields.TryNextCount(out long user) && user <= uint.MaxValue ? (uint)user : null;
    }

    // The kernel prints each 32-bit word of an address, which has the network's byte order, as a number in the byte order of the machine.
    private static string Format(IPEndPoint end)
    {
        StringBuilder text = new();
        byte[] address = end.Address.GetAddressBytes();
        for (int i = 0; i < address.Length; i += sizeof(uint))
        {
            text.Append(BitConverter.ToUInt32(address, i).ToString("X8", CultureInfo.InvariantCulture));
        }

        return text.Append(CultureInfo.InvariantCulture, $":{end.Port:X4}").ToString();
    }
}
