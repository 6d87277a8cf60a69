using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/meters.md, except its first program.</summary>
internal static class MetersGuide
{
    public static void OnThePage(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(options => options.Meters.AddMeter("Microsoft.AspNetCore.Hosting", "System.Net.Http", "Npgsql", "MyApp*"));
    }

    public static void Scale(PicolloOptions options)
    {
        options.Meters.AddMeter("Shop").Scales["shop.price"] = 100;   // cents
    }
}
