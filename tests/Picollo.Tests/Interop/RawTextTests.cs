using System.Text;
using Picollo.Interop.Linux;

namespace Picollo.Tests.Interop;

public class RawTextTests
{
    [Fact]
    public void Any_bytes_are_restored_from_their_text()
    {
        byte[] mixed = [0x61, 0xFF, 0xC3, 0xC3, 0xA4, 0xED, 0xB2, 0x80, 0xF0, 0x9F, 0x98, 0x80, 0xF0, 0x9F];

        RawText.Decode(mixed).Should().Be("a\uDCFF\uDCC3ä\uDCED\uDCB2\uDC80😀\uDCF0\uDC9F");
        RawText.Encode(RawText.Decode(mixed)).Should().Equal(mixed);
        Seeded.Run(1_000, random =>
        {
            byte[] bytes = new byte[random.Next(20)];
            random.NextBytes(bytes);
            RawText.Encode(RawText.Decode(bytes)).Should().Equal(bytes);
        });
    }

    [Fact]
    public void Other_lone_surrogates_are_replaced() =>
        RawText.Encode("a\uDC7F\uD800").Should().Equal(Encoding.UTF8.GetBytes("a\uFFFD\uFFFD"));
}
