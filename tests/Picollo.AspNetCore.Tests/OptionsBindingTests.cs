using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Tests;

/// <summary>Tests options from a configuration. This project uses the source-generated binder
/// (<c>EnableConfigurationBindingGenerator</c>), which ignores properties that it cannot set.</summary>
public class OptionsBindingTests
{
    private static readonly Dictionary<string, string?> Settings = new()
    {
        ["Picollo:MaxRoutes"] = "9",
        ["Picollo:Detail"] = "UserAndKernel",
        ["Picollo:CpuWorkers:WorkerCount"] = "4",
        ["Picollo:CpuWorkers:TimeSlice"] = "00:00:00.005",
        ["Picollo:CpuWorkers:Name"] = "configured",
    };

    [Fact]
    public void Every_option_is_bound_including_those_of_the_pool()
    {
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(Settings).Build();
        var services = new ServiceCollection();
        services.AddPicollo();
        services.Configure<PicolloOptions>(configuration.GetSection("Picollo"));
        using ServiceProvider provider = services.BuildServiceProvider();
        PicolloOptions options = provider.GetRequiredService<IOptions<PicolloOptions>>().Value;

        (options.MaxRoutes, options.Detail).Should().Be((9, CpuUsageDetail.UserAndKernel));
        (options.CpuWorkers.WorkerCount, options.CpuWorkers.TimeSlice, options.CpuWorkers.Name).Should()
            .Be((4, TimeSpan.FromMilliseconds(5), "configured"));
    }
}
