using System.Runtime.CompilerServices;
using AotApp;
using ConsumerApp;

// Each line is a fact, "name=value". Values that differ between machines are compared here, and the result is printed.
Facts.Print("dynamic-code", RuntimeFeature.IsDynamicCodeSupported);
Histograms.Run();
await CpuTimes.Run();
Counters.Run();
await Runtime.Run();
foreach ((string name, object? value) in await Pool.Use())
{
    Facts.Print(name, value);
}

await NamedTasks.Run();
await Server.Run();
Profile.Run();
Facts.Print("tables", "");
Picollo.Samples.GettingStarted.Run();
