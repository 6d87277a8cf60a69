using Picollo.Cli;
using Picollo.Diagnostics.Linux;

return PicolloCommand.Run(RawText.Arguments(args), new Terminal());
