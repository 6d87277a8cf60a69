using Picollo.Scheduling.Tests.Shared;
using Picollo.Scheduling.Tests.Starvation;

return args is [SharedPoolProgram.Verb] ? await SharedPoolProgram.Run() : await Starving.Run(args);
