using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

internal static class TopJson
{
    public static int Run(Terminal terminal, TopModel model, TopSettings settings) => TopBatch.Run(terminal, model, settings, null);
}
