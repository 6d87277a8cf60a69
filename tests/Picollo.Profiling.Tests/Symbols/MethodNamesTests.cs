using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Tests.Symbols;

public class MethodNamesTests
{
    [Theory]
    [InlineData("App.Program::Main", "App.Program.Main")]
    [InlineData("App.Program::.ctor", "App.Program..ctor")]
    [InlineData("App.Program::.cctor", "App.Program..cctor")]
    [InlineData("App.Outer+Inner::Run", "App.Outer.Inner.Run")]
    [InlineData("Global::Run", "Global.Run")]
    [InlineData("System.Collections.Generic.List`1[System.Int32]::Add", "System.Collections.Generic.List<int>.Add")]
    [InlineData("System.Collections.Generic.Dictionary`2[System.__Canon,System.__Canon]::TryInsert",
        "System.Collections.Generic.Dictionary<__Canon, __Canon>.TryInsert")]
    [InlineData("App.Gen`1+In`1[System.__Canon,System.Int32]::M", "App.Gen<__Canon>.In<int>.M")]
    [InlineData("App.Gen`1+Plain[System.String]::M", "App.Gen<string>.Plain.M")]
    [InlineData("App.Gen`1[System.Collections.Generic.List`1[System.Byte[]]]::M", "App.Gen<System.Collections.Generic.List<byte[]>>.M")]
    [InlineData("App.Gen`2[System.Int32[,],System.Int32*]::M", "App.Gen<int[,], int*>.M")]
    [InlineData("App.Gen`16[System.Boolean,System.SByte,System.Char,System.Int16,System.UInt16,System.UInt32,System.Int64,System.UInt64,System.Single,"
        + "System.Double,System.Decimal,System.Object,System.Void*,System.IntPtr,System.UIntPtr,System.Int32&]::M",
        "App.Gen<bool, sbyte, char, short, ushort, uint, long, ulong, float, double, decimal, object, void*, nint, nuint, int&>.M")]
    [InlineData("App.Tools::Max[System.Int32]", "App.Tools.Max")]
    [InlineData("App.Set::System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator",
        "App.Set.System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator")]
    [InlineData("dynamicClass::lambda_method1", "dynamicClass.lambda_method1")]
    [InlineData("no separator", "no separator")]
    [InlineData("::Run", "::Run")]
    // Code that the compiler generated has the name of its source.
    [InlineData("App.Program+<Work>d__3::MoveNext", "App.Program.Work")]
    [InlineData("App.Program+<Work>d__3`1[System.Int32]::MoveNext", "App.Program.Work")]
    [InlineData("App.Program+<Iterate>d__1::System.IDisposable.Dispose", "App.Program.Iterate.System.IDisposable.Dispose")]
    [InlineData("App.Set`1+<Items>d__1[System.Int32]::MoveNext", "App.Set<int>.Items")]
    [InlineData("App.Set+<System.Collections.Generic.IDictionary<TKey,TValue>.Items>d__1::MoveNext",
        "App.Set.System.Collections.Generic.IDictionary<TKey,TValue>.Items")]
    [InlineData("App.Set`1+<System-Collections-Generic-IEnumerable<T>-GetEnumerator>d__1[System.Int32]::MoveNext",
        "App.Set<int>.System.Collections.Generic.IEnumerable<T>.GetEnumerator")]
    [InlineData("App.Map+<IEnumerable<KeyValuePair<K\\,V>>-GetEnumerator>d__0::MoveNext", "App.Map.IEnumerable<KeyValuePair<K,V>>.GetEnumerator")]
    [InlineData("App.Program+<>c::<Main>b__2_1", "App.Program.Main.lambda_1")]
    [InlineData("App.Program+<>c__DisplayClass2_0::<Main>b__0", "App.Program.Main.lambda_0")]
    [InlineData("App.Program+<>c__DisplayClass2_0+<<Main>b__4>d::MoveNext", "App.Program.Main.lambda_4")]
    [InlineData("App.Program+<>c+<<Main>b__0_2>d::MoveNext", "App.Program.Main.lambda_2")]
    [InlineData("App.Program::<Main>g__Local|2_3", "App.Program.Main.Local")]
    [InlineData("App.Program+<>c__DisplayClass0_0::<Main>g__Local|1", "App.Program.Main.Local")]
    [InlineData("App.Program+<<Main>g__Local|0_1>d::MoveNext", "App.Program.Main.Local")]
    [InlineData("Program::<Main>$", "Program.Main")]
    [InlineData("Program::<Main>", "Program.Main")]
    [InlineData("<Module>::.cctor", "<Module>..cctor")]
    [InlineData("Program+<<Main>$>d__0::MoveNext", "Program.Main")]
    [InlineData("Program+<>c::<<Main>$>b__0_0", "Program.Main.lambda_0")]
    [InlineData("App.Base+<>c::<.ctor>b__5_0", "App.Base..ctor.lambda_0")]
    [InlineData("System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,App.Program+<Work>d__0]::MoveNext",
        "System.Runtime.CompilerServices.AsyncTaskMethodBuilder<int>.AsyncStateMachineBox<App.Program.Work>.MoveNext")]
    public void Names_are_those_of_the_source(string raw, string expected) => MethodNames.Format(raw).Should().Be(expected);

    [Fact]
    public void A_deeply_nested_name_is_truncated() =>
        MethodNames.Format(string.Concat(Enumerable.Repeat("A`1[", 1900)) + "::M").Length
            .Should().BeLessThanOrEqualTo(MethodNames.MaxLength);
}
