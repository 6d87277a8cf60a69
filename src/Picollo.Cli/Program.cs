using Picollo.Cli;
using Picollo.Cli.Shell;

return PicolloCommand.Run(args, new Terminal());
