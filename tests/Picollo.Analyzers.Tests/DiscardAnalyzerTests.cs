using Microsoft.CodeAnalysis;

namespace Picollo.Analyzers.Tests;

public class DiscardAnalyzerTests
{
    [Theory]
    [InlineData("void M() { HdrHistogram.Factory.WithRelativeError(0.01); }", "HdrHistogram.Factory.WithRelativeError(0.01)")]
    [InlineData("void M() { var f = HdrHistogram.Factory; f.WithInterlocked(); f.Create(); }", "f.WithInterlocked()")]
    [InlineData("void M() { HdrHistogram.Factory.WithUInt64Storage().WithThreadLocal(); }", "HdrHistogram.Factory.WithUInt64Storage().WithThreadLocal()")]
    [InlineData("void M(HdrHistogramFactory? f) { f?.WithRelativeError(0.01); }", ".WithRelativeError(0.01)")]
    [InlineData("void M(HdrHistogramFactory f) => f.WithRelativeError(0.01);", "f.WithRelativeError(0.01)")]
    [InlineData("void M(PerfEventCounterSessionFactory f) { f.WithTarget(0, -1); }", "f.WithTarget(0, -1)")]
    public async Task A_discarded_factory_is_reported(string member, string reported) =>
        (await Snippet.ReportsAsync(member)).Should().Equal($"PIC0001: {reported}");

    [Theory]
    [InlineData("HdrHistogram M() => HdrHistogram.Factory.WithRelativeError(0.01).Create();")]
    [InlineData("void M() { var f = HdrHistogram.Factory.WithRelativeError(0.01); f.Create(); }")]
    [InlineData("void M(HdrHistogramFactory f) { f = f.WithRelativeError(0.01); Work(f); }")]
    [InlineData("void M(HdrHistogramFactory f) { Action check = () => f.WithRelativeError(-1); check(); }")]
    [InlineData("void M(HdrHistogramFactory f) { _ = f.WithRelativeError(0.01); }")]
    [InlineData("void M(HdrHistogramFactory f) { f.Create(); }")]
    [InlineData("void M() { WithName(); } HdrHistogramFactory WithoutName() => HdrHistogram.Factory; Program WithName() => this;")]
    public async Task A_factory_that_is_used_is_not_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().BeEmpty();

    [Theory]
    [InlineData("void M() { _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() { _ = _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() { var scope = _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() { NanoScope scope; scope = _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() => _histogram.GetNanoScope();")]
    public async Task A_discarded_scope_is_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().Equal("PIC0002: _histogram.GetNanoScope()");

    [Theory]
    [InlineData("GetTickScope")]
    [InlineData("GetNanoScope")]
    [InlineData("GetMicroScope")]
    [InlineData("GetMilliScope")]
    [InlineData("GetPicoScope")]
    public async Task Every_type_of_scope_is_reported(string method) =>
        (await Snippet.ReportsAsync($"void M() {{ _histogram.{method}(); }}")).Should().Equal($"PIC0002: _histogram.{method}()");

    [Fact]
    public async Task A_discarded_performance_measurement_is_reported() =>
        (await Snippet.ReportsAsync("void M(PerfEventCounterSession s) { s.Measure(); Work(); using (s.Measure()) { Work(); } }"))
            .Should().Equal("PIC0002: s.Measure()");

    [Theory]
    [InlineData("void M() { using (_histogram.GetNanoScope()) { Work(); } }")]
    [InlineData("void M() { using var scope = _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() { using NanoScope scope = _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() { using (var scope = _histogram.GetNanoScope()) { Work(); } }")]
    [InlineData("void M() { using (_histogram.GetTickScope()) using (_histogram.GetPicoScope()) { Work(); } }")]
    [InlineData("void M() { var scope = _histogram.GetNanoScope(); using (scope) { Work(); } }")]
    [InlineData("NanoScope M() => _histogram.GetNanoScope();")]
    [InlineData("NanoScope M() { var scope = _histogram.GetNanoScope(); Work(); return scope; }")]
    [InlineData("void M() { Action check = () => _histogram.GetNanoScope(); check(); }")]
    [InlineData("void M() { NanoScope scope; using (scope = _histogram.GetNanoScope()) { Work(); } }")]
    [InlineData("void M() { using (_ = _histogram.GetNanoScope()) { Work(); } }")]
    [InlineData("async Task M() { using (_histogram.GetNanoScope()) { await Task.Yield(); } }")]
    public async Task A_scope_that_is_used_is_not_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().BeEmpty();

    [Theory]
    [InlineData("void M() { IDisposable scope = _histogram.GetNanoScope(); scope.Dispose(); }")]
    [InlineData("void M() { Work(_histogram.GetNanoScope()); }")]
    public async Task A_boxed_scope_is_reported_as_information(string member)
    {
        Diagnostic diagnostic = await Snippet.SingleAsync(member);

        diagnostic.Id.Should().Be("PIC0002");
        diagnostic.Severity.Should().Be(DiagnosticSeverity.Info);
    }

    [Theory]
    [InlineData("async Task M(CpuTaskContext cpu) { cpu.CheckpointAsync(); await cpu.CheckpointAsync(); }")]
    [InlineData("void M(CpuTaskContext cpu) { cpu.CheckpointAsync(); }")]
    [InlineData("void M(CpuTaskContext cpu) { _ = cpu.CheckpointAsync(); }")]
    [InlineData("void M(CpuTaskContext cpu) { var checkpoint = cpu.CheckpointAsync(); Work(); }")]
    [InlineData("void M(CpuTaskContext cpu) { Action body = () => cpu.CheckpointAsync(); body(); }")]
    [InlineData("Task M(CpuWorkerPool pool) => pool.RunAsync(cpu => cpu.CheckpointAsync());")]
    [InlineData("Task M(CpuWorkerPool pool) => pool.RunAsync(cpu => { Work(); return cpu.CheckpointAsync(); });")]
    public async Task A_checkpoint_that_is_not_awaited_is_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().Equal("PIC0003: cpu.CheckpointAsync()");

    [Theory]
    [InlineData("async Task M(CpuTaskContext cpu) { await cpu.CheckpointAsync(); }")]
    [InlineData("async Task M(CpuTaskContext cpu) { var checkpoint = cpu.CheckpointAsync(); await checkpoint; }")]
    [InlineData("async Task M(CpuTaskContext cpu) { CpuCheckpoint checkpoint; await (checkpoint = cpu.CheckpointAsync()); }")]
    [InlineData("CpuCheckpoint M(CpuTaskContext cpu) => cpu.CheckpointAsync();")]
    [InlineData("void M() { Func<CpuTaskContext, CpuCheckpoint> next = cpu => cpu.CheckpointAsync(); Work(next); }")]
    [InlineData("Task M(CpuWorkerPool pool) => pool.RunAsync(async cpu => await cpu.CheckpointAsync());")]
    [InlineData("void M(CpuTaskContext cpu) { cpu.Checkpoint(); }")]
    public async Task A_checkpoint_that_is_awaited_is_not_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().BeEmpty();

    [Theory]
    [InlineData("void M(HdrHistogramFactory f) { f.WithRelativeError(0.01); }", "void M(HdrHistogramFactory f) { f = f.WithRelativeError(0.01); }")]
    [InlineData("void M() { var scope = _histogram.GetNanoScope(); Work(); }", "void M() { using var scope = _histogram.GetNanoScope(); Work(); }")]
    [InlineData("void M() { _histogram.GetNanoScope(); Work(); }", "void M() { using var scope = _histogram.GetNanoScope(); Work(); }")]
    [InlineData(
        "void M(int scope) { _ = _histogram.GetNanoScope(); Work(scope); }",
        "void M(int scope) { using var scope2 = _histogram.GetNanoScope(); Work(scope); }")]
    [InlineData("async Task M(CpuTaskContext cpu) { cpu.CheckpointAsync(); await Task.Yield(); }", "async Task M(CpuTaskContext cpu) { await cpu.CheckpointAsync(); await Task.Yield(); }")]
    [InlineData("async Task M(CpuTaskContext cpu) { _ = cpu.CheckpointAsync(); await Task.Yield(); }", "async Task M(CpuTaskContext cpu) { await cpu.CheckpointAsync(); await Task.Yield(); }")]
    public async Task The_fix_uses_the_discarded_value(string member, string repaired) =>
        (await Snippet.FixedAsync(member)).Should().Be(repaired);

    [Theory]
    [InlineData("void M() { HdrHistogram.Factory.WithRelativeError(0.01); }")]
    [InlineData("void M() { var f = HdrHistogram.Factory; f.WithThreadLocal(); f.Create(); }")]
    [InlineData("void M(in PerfEventCounterSessionFactory f) { f.WithTarget(0, -1); }")]
    [InlineData("void M(PerfEventCounterSessionFactory[] all) { foreach (var f in all) { f.WithTarget(0, -1); } }")]
    [InlineData("void M(List<HdrHistogramFactory> all) { all[0].WithRelativeError(0.01); }")]
    [InlineData("void M(bool b) { if (b) _histogram.GetNanoScope(); }")]
    [InlineData("void M(int i) { switch (i) { case 1: _histogram.GetNanoScope(); break; } }")]
    [InlineData("void M() { var scope = _histogram.GetNanoScope(); scope = default; }")]
    [InlineData("void M() { IDisposable scope = _histogram.GetNanoScope(); scope.Dispose(); }")]
    [InlineData("void M() { new List<object>().Add(_histogram.GetNanoScope()); }")]
    [InlineData("async Task M(CpuTaskContext cpu) { lock (this) { cpu.CheckpointAsync(); } await Task.Yield(); }")]
    [InlineData("async Task M(CpuTaskContext? cpu) { cpu?.CheckpointAsync(); await Task.Yield(); }")]
    [InlineData("void M(CpuTaskContext cpu) { cpu.CheckpointAsync(); }")]
    [InlineData("async Task M(CpuWorkerPool pool) { await pool.RunAsync(cpu => cpu.CheckpointAsync()); }")]
    [InlineData("async Task M(CpuTaskContext cpu) { new List<int> { 1 }.ForEach(_ => cpu.CheckpointAsync()); await Task.Yield(); }")]
    public async Task No_fix_is_offered_that_would_not_compile(string member) =>
        (await Snippet.FixedAsync(member)).Should().BeNull();
}
