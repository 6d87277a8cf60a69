using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary>The live screen.</summary>
internal static class TopScreen
{
    public static int Run(Terminal terminal, TopModel model, TopSettings settings) => TopBatch.Run(terminal, model, settings, null);
}
