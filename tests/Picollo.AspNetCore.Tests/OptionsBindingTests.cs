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

    [Theory]
    [InlineData("100")]
    [InlineData("01:00:00.0000001")]
    [InlineData("-00:00:00.1")]
    public void A_budget_outside_its_range_is_rejected_with_the_correct_form(string budget)
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?> { ["CpuBudget"] = budget }).Build();
        var services = new ServiceCollection();
        services.AddPicollo();
        services.Configure<PicolloOptions>(configuration);
        using ServiceProvider provider = services.BuildServiceProvider();

        Func<PicolloOptions> read = () => provider.GetRequiredService<IOptions<PicolloOptions>>().Value;

        read.Should().Throw<ArgumentOutOfRangeException>().WithMessage("*from 0 to 1 hour*00:00:00.1*");
    }

    [Theory]
    [InlineData("00:00:00")]
    [InlineData("00:00:00.1")]
    [InlineData("01:00:00")]
    public void A_budget_of_up_to_an_hour_is_accepted(string budget) =>
        new PicolloOptions { CpuBudget = TimeSpan.Parse(budget, System.Globalization.CultureInfo.InvariantCulture) }.CpuBudget
            .Should().BeLessThanOrEqualTo(TimeSpan.FromHours(1));
}
