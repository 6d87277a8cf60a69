using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Tests.Sampling;

public class CodeMappingTests
{
    [Fact]
    public void Executable_mappings_are_read()
    {
        string[] maps =
        [
            "55d0c4a00000-55d0c4a02000 r--p 00000000 fe:01 1234                       /usr/bin/app",
            "55d0c4a02000-55d0c4a06000 r-xp 00002000 fe:01 1234                       /usr/bin/app with blanks (deleted)",
            "7f0000000000-7f0000010000 rwxp 00000000 00:00 0 ",
            "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]",
            "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
        ];

        CodeMapping.Parse(maps).Should().Equal(
            new CodeMapping(0x55d0c4a02000, 0x4000, 0x2000, "/usr/bin/app with blanks (deleted)"),
            new CodeMapping(0x7f0000000000, 0x10000, 0, ""),
            new CodeMapping(0x7ffd00000000, 0x2000, 0, "[vdso]"),
            new CodeMapping(0xffffffffff600000, 0x1000, 0, "[vsyscall]"));
    }

    [Fact]
    public void Lines_of_another_form_are_skipped() => CodeMapping.Parse(
    [
        "", "nonsense", "10-20 r-xp", "20-10 r-xp 00 00:00 0", "10-20-30 r-xp 00 00:00 0", "10-zz r-xp 00 00:00 0", "10-20 rx 00 00:00 0",
        "10-20 r-xp zz 00:00 0",
    ]).Should().BeEmpty();
}
