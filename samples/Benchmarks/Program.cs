using BenchmarkDotNet.Running;
using Picollo.Samples.Benchmarks;

// Without arguments, all benchmarks run. Arguments are passed to BenchmarkDotNet: --filter '*Async*', --list flat, --help.
BenchmarkSwitcher.FromAssembly(typeof(Aggregation).Assembly).Run(args is [] ? ["--filter", "*"] : args, ShortConfig.Create());
