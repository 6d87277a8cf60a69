using System.Text;

namespace Picollo.AspNetCore.Tests.Page;

public class ProcNetTcpTests
{
    // Captured on Linux 6.18. The first two lines of each pair are the listener and the server's end, which has the same addresses in the
    // opposite order.
    private const string Tcp =
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
           0: 0100007F:1388 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21518 1 00000000869ad0b3 100 0 0 10 0                     
           1: 0100007F:1388 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 21519 1 000000006f8a7c1e 20 4 30 10 -1                    
           2: 0100007F:C350 0100007F:1388 01 0000004E:00000000 01:00000014 00000000  1001        0 21520 2 00000000d1a5e0f7 20 4 31 10 -1                    
           3: 0100007F:C351 0100007F:1388 06 00000000:00000000 03:00000F7C 00000000     0        0 0 3 00000000c8b14c3d                                      
           4: 0100007F:C352 0100007F:1388 04 00000000:00000000 01:00000014 00000000     0        0 0 2 000000001d6ee82f 20 4 30 10 -1                       
           5: 0100007F:C353 0100007F:1388 01 00000000:00000000 00:00000000 00000000     0        0 21523 1 0000000045f0b6aa 20 4 30 10 -1                    
           6: 0A00000A:C354 0100007F:1388 01 00000000:00000000 00:00000000 00000000 4294967294        0 21524 1 0000000045f0b6ab 20 4 30 10 -1              

        """;

    private const string Tcp6 =
        """
          sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 00000000000000000000000000000000:1388 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 21601 1 00000000f1c1d7a5 100 0 0 10 0
           1: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:1388 01 00000000:00000000 00:00000000 00000000  1002        0 21602 1 00000000c8b14c3e 20 4 30 10 -1
           2: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1388 01 00000000:00000000 00:00000000 00000000  1003        0 21603 1 00000000c8b14c3f 20 4 30 10 -1
           3: B80D0120000000000000000078563412:C350 00000000000000000000000001000000:1388 01 00000000:00000000 00:00000000 00000000  1004        0 21604 1 00000000c8b14c40 20 4 30 10 -1

        """;

    [Theory]
    [InlineData("127.0.0.1:50000", "127.0.0.1:5000", 1001u)]
    [InlineData("127.0.0.1:5000", "127.0.0.1:50000", 1000u)]
    [InlineData("127.0.0.1:50003", "127.0.0.1:5000", 0u)]
    [InlineData("10.0.0.10:50004", "127.0.0.1:5000", 4_294_967_294u)]
    [InlineData("127.0.0.1:50001", "127.0.0.1:5000", null)] // TIME_WAIT
    [InlineData("127.0.0.1:50002", "127.0.0.1:5000", null)] // FIN_WAIT1, without a process
    [InlineData("127.0.0.1:50005", "127.0.0.1:5000", null), InlineData("127.0.0.2:50000", "127.0.0.1:5000", null)]
    [InlineData("127.0.0.1:50000", "127.0.0.1:5001", null), InlineData("[::ffff:127.0.0.1]:50000", "[::ffff:127.0.0.1]:5000", 1002u)]
    [InlineData("[::1]:50000", "[::1]:5000", 1003u), InlineData("[2001:db8::1234:5678]:50000", "[::1]:5000", 1004u)]
    [InlineData("[::1]:5000", "[::1]:50000", null), InlineData("[::2]:50000", "[::1]:5000", null)]
    public void A_connection_that_the_client_has_not_closed_is_found_by_both_addresses(string client, string server, uint? owner) =>
        Find(client[0] == '[' ? Tcp6 : Tcp, client, server).Should().Be(owner);

    [Fact]
    public void A_line_can_be_split_between_two_reads()
    {
        for (int chunk = 1; chunk < 400; chunk++)
        {
            Find(Tcp, "127.0.0.1:50000", "127.0.0.1:5000", chunk).Should().Be(1001);
            Find(Tcp6, "[::1]:50000", "[::1]:5000", chunk).Should().Be(1003);
            Find(Tcp6, "[::3]:50000", "[::1]:5000", chunk).Should().BeNull();
        }
    }

    [Fact]
    public void An_incomplete_line_has_no_owner()
    {
        string line = Tcp[Tcp.IndexOf("   2: ", StringComparison.Ordinal)..];
        int user = line.IndexOf("1001", StringComparison.Ordinal);
        for (int length = 0; length < user + "1001 ".Length; length++)
        {
            Find(line[..length], "127.0.0.1:50000", "127.0.0.1:5000").Should().BeNull("the end of the user is missing");
        }
    }

    [Fact]
    public void A_line_at_the_end_of_a_large_table_is_found()
    {
        string[] lines = Tcp.Split('\n');
        string large = string.Concat(Enumerable.Range(0, 20_000).Select(i => lines[2].Replace("C350", $"{i:X4}", StringComparison.Ordinal) + "\n"));

        Find(lines[0] + "\n" + large + lines[3] + "\n", "127.0.0.1:50000", "127.0.0.1:5000").Should().Be(1001);
    }

    [Fact]
    public void A_line_without_an_end_is_skipped()
    {
        string endless = new('x', 3 * ProcNetTcp.BufferBytes);

        Find(endless, "127.0.0.1:50000", "127.0.0.1:5000").Should().BeNull();
        Find(endless + "\n" + Tcp, "127.0.0.1:50000", "127.0.0.1:5000").Should().Be(1001);
    }

    private static uint? Find(string table, string client, string server, int chunk = int.MaxValue)
    {
        using ChunkedStream stream = new(Encoding.ASCII.GetBytes(table.ReplaceLineEndings("\n")), chunk);
        return ProcNetTcp.FindOwner(stream, IPEndPoint.Parse(client), IPEndPoint.Parse(server));
    }

    private sealed class ChunkedStream(byte[] content, int chunk) : MemoryStream(content)
    {
        public override int Read(byte[] buffer, int offset, int count) => base.Read(buffer, offset, Math.Min(count, chunk));
    }
}
