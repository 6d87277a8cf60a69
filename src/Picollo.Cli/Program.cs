using Picollo.Cli;
using Picollo.Interop.Linux;

return PicolloCommand.Run(RawText.Arguments(args), new Terminal());
