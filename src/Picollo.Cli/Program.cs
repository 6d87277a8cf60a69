using Picollo.Cli;

return PicolloCommand.Run(args, new Terminal());
