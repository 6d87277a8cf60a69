using Microsoft.Extensions.DependencyInjection;

namespace Picollo.AspNetCore;

/// <summary>The return value of <c>AddPicollo()</c>, which extension methods use to add further Picollo features to an
/// application.</summary>
public interface IPicolloBuilder
{
    /// <summary>The application's services.</summary>
    IServiceCollection Services { get; }
}
