namespace Picollo.Analyzers.Tests;

public class WatcherAnalyzerTests
{
    private const string New = "new CpuUsageAsyncWatcher()";

    [Theory]
    [InlineData($"void M() {{ var watcher = {New}; Work(); }}")]
    [InlineData($"async Task M() {{ var watcher = {New}; await Task.Yield(); }}")]
    [InlineData($"void M() {{ {New}; Work(); }}")]
    [InlineData($"void M() {{ _ = {New}; Work(); }}")]
    [InlineData($"void M() {{ CpuUsageAsyncWatcher watcher; watcher = {New}; Work(); }}")]
    [InlineData($"async Task<CpuUsageAsyncWatcher> M() {{ await Task.Yield(); return {New}; }}")]
    [InlineData($"async Task<CpuUsageAsyncWatcher> M() {{ var watcher = {New}; await Task.Yield(); return watcher; }}")]
    [InlineData($"async Task M() {{ _watcher = {New}; await Task.Yield(); }}")]
    [InlineData($"async Task M() {{ var watcher = {New}; _watcher = watcher; await Task.Yield(); }}")]
    [InlineData($"async Task M() {{ _watcher = _watcher ?? {New}; await Task.Yield(); }}")]
    [InlineData($"async Task M() {{ _watcher ??= {New}; await Task.Yield(); }}")]
    [InlineData($"async Task M() {{ Own = {New}; await Task.Yield(); }} CpuUsageAsyncWatcher? Own {{ get; set; }}")]
    [InlineData($"void M() {{ F(); async Task F() {{ _watcher = {New}; await Task.Yield(); }} }}")]
    [InlineData($"void M() {{ Func<Task> f = async () => {{ _watcher = {New}; await Task.Yield(); }}; f(); }}")]
    public async Task A_watcher_that_measures_nothing_is_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().Equal($"PIC0004: {New}");

    [Theory]
    [InlineData($"void M() {{ var watcher = {New}; Work(); watcher.Stop(); }}")]
    [InlineData($"void M() {{ using var watcher = {New}; Work(); }}")]
    [InlineData($"void M() {{ using (var watcher = {New}) {{ Work(); }} }}")]
    [InlineData($"void M() {{ using (new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly)) {{ Work(); }} }}")]
    [InlineData($"long M() {{ var watcher = {New}; Work(); return watcher.GetTotalNanoseconds(); }}")]
    [InlineData($"void M() {{ var watcher = {New}; Work(watcher); }}")]
    [InlineData($"void M() {{ var watcher = {New}; Action stop = () => watcher.Stop(); stop(); }}")]
    [InlineData($"CpuUsageAsyncWatcher M() => {New};")]
    [InlineData($"CpuUsageAsyncWatcher M() {{ var watcher = {New}; return watcher; }}")]
    [InlineData($"void M() {{ _watcher = {New}; }}")]
    [InlineData($"async Task<CpuUsageAsyncWatcher> M() {{ var watcher = {New}; await Task.Yield(); watcher.Stop(); return watcher; }}")]
    [InlineData($"async Task M() {{ CpuUsageAsyncWatcher Start() => {New}; var watcher = Start(); await Task.Yield(); watcher.Stop(); }}")]
    [InlineData($"async Task M() {{ _watcher = {New}; try {{ await Task.Yield(); }} finally {{ _watcher.Stop(); }} }}")]
    [InlineData($"async Task M(Dictionary<string, object> items) {{ items[\"w\"] = {New}; await Task.Yield(); ((CpuUsageAsyncWatcher)items[\"w\"]!).Stop(); }}")]
    [InlineData($"async Task M() {{ _watcher = {New}; await Task.Yield(); _watcher?.Stop(); }}")]
    [InlineData($"async Task M() {{ var watcher = {New}; _watcher = watcher; await Task.Yield(); Work(watcher.WallTime); }}")]
    [InlineData($"async Task M() {{ var watcher = {New}; _watcher = watcher; await Task.Yield(); Action stop = watcher.Stop; stop(); }}")]
    [InlineData($"void M() {{ CpuUsageAsyncWatcher watcher; using (watcher = {New}) {{ Work(); }} }}")]
    [InlineData($"void M() {{ CpuUsageAsyncWatcher watcher; Work(watcher = {New}); }}")]
    [InlineData($"void M() {{ Action check = () => {New}; check(); }}")]
    [InlineData($"void M() {{ var list = new List<CpuUsageAsyncWatcher> {{ {New} }}; list[0].Stop(); }}")]
    public async Task A_watcher_that_measures_is_not_reported(string member) =>
        (await Snippet.ReportsAsync(member)).Should().BeEmpty();
}
