using System.Buffers.Binary;
using System.Text;

namespace Picollo.Profiling.Tests.Symbols;

/// <summary>Builds small ELF files: a code segment from file offset 0x1000 at address 0x41000, a section .text at 0x41000 of 0x1000 bytes
/// (number 1), one at 0x42000 of 0x1000 bytes (number 2), and a symbol table.</summary>
internal static class ElfFile
{
    public const int Text = 1;
    public const int Rest = 2;

    /// <summary>A function, global unless specified otherwise.</summary>
    public sealed record Symbol(string Name, ulong Value, ulong Size, int Section = Text, int Type = 2, int Binding = 1);

    /// <param name="symbols">The symbols.</param>
    /// <param name="tableType">The type of their section: SHT_SYMTAB or SHT_DYNSYM.</param>
    /// <param name="dynamic">The symbols of an additional section SHT_DYNSYM, which precedes the other.</param>
    public static byte[] Of(IEnumerable<Symbol> symbols, uint tableType = 2, IEnumerable<Symbol>? dynamic = null)
    {
        (byte[] table, byte[] strings) = TableOf(symbols);
        (byte[] dynamicTable, byte[] dynamicStrings) = dynamic is null ? ([], []) : TableOf(dynamic);
        int tableAt = 64 + (2 * 56);
        int stringsAt = tableAt + table.Length;
        int dynamicAt = stringsAt + strings.Length;
        int sectionsAt = dynamicAt + dynamicTable.Length + dynamicStrings.Length;
        uint tableNumber = dynamic is null ? 3u : 5u;
        return
        [
            0x7F, .. "ELF"u8, 2, 1, 1, .. new byte[9],
            .. Short(3, 62), .. Int(1), .. Long(0, 64, (ulong)sectionsAt), .. Int(0), .. Short(64, 56, 2, 64, (ushort)(tableNumber + 2), 0),
            .. Int(1, 4), .. Long(0x1000, 0x99000, 0x99000, 0x1000, 0x1000, 0x1000), // the same offset as data
            .. Int(1, 5), .. Long(0x1000, 0x41000, 0x41000, 0x2000, 0x2000, 0x1000),
            .. table, .. strings, .. dynamicTable, .. dynamicStrings,
            .. new byte[64],
            .. Section(1, 0x41000, 0x1000, 0x1000, 0),
            .. Section(1, 0x42000, 0x2000, 0x1000, 0),
            .. dynamic is null ? [] : Section(11, 0, (ulong)dynamicAt, (ulong)dynamicTable.Length, 4),
            .. dynamic is null ? [] : Section(3, 0, (ulong)(dynamicAt + dynamicTable.Length), (ulong)dynamicStrings.Length, 0),
            .. Section(tableType, 0, (ulong)tableAt, (ulong)table.Length, tableNumber + 1),
            .. Section(3, 0, (ulong)stringsAt, (ulong)strings.Length, 0),
        ];
    }

    private static (byte[] Table, byte[] Strings) TableOf(IEnumerable<Symbol> symbols)
    {
        List<byte> strings = [0];
        List<byte> table = [.. new byte[24]];
        foreach (Symbol symbol in symbols)
        {
            byte[] entry = new byte[24];
            BinaryPrimitives.WriteUInt32LittleEndian(entry, (uint)strings.Count);
            entry[4] = (byte)((symbol.Binding << 4) | symbol.Type);
            BinaryPrimitives.WriteUInt16LittleEndian(entry.AsSpan(6), (ushort)symbol.Section);
            BinaryPrimitives.WriteUInt64LittleEndian(entry.AsSpan(8), symbol.Value);
            BinaryPrimitives.WriteUInt64LittleEndian(entry.AsSpan(16), symbol.Size);
            table.AddRange(entry);
            strings.AddRange([.. Encoding.UTF8.GetBytes(symbol.Name), 0]);
        }

        return ([.. table], [.. strings]);
    }

    private static byte[] Section(uint type, ulong address, ulong offset, ulong size, uint link) =>
        [.. Int(0, type), .. Long(0, address, offset, size), .. Int(link, 0), .. Long(1, 24)];

    private static byte[] Short(params ushort[] values) => [.. values.SelectMany(BitConverter.GetBytes)];

    private static byte[] Int(params uint[] values) => [.. values.SelectMany(BitConverter.GetBytes)];

    private static byte[] Long(params ulong[] values) => [.. values.SelectMany(BitConverter.GetBytes)];
}
